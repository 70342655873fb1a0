#include <algorithm>
#include <functional>
#include <set>
#include <string>

#include "domain/explaining/change_steps.h"

namespace gp {
namespace {

template <typename F>
void ForEachGpu(ChangeSearch& search, const F& visit) {
  const NodeClasses& classes = search.what_if().classes();
  for (ClassId id = 0; id < classes.size(); ++id) {
    const NodeClasses::Class& one = classes.Of(id);
    if (one.members.empty()) continue;
    for (const GpuFacts& gpu : one.example.facts->gpus) visit(gpu);
  }
}

}  // namespace

// One by one: fewer GPUs are not always easier to place near each other.
void TryFewerGpus(ChangeSearch& search) {
  const JobSpec& asked = search.spec();
  for (int count = asked.resources.gpus.count - 1; count > 0; --count) {
    const std::string text = "gpus: " + std::to_string(count) + " instead of " +
                             std::to_string(asked.resources.gpus.count) +
                             (asked.resources.nodes > 1 ? " on each node" : "");
    if (search.Try(ChangeKind::kFewerGpus, text,
                   [count](JobSpec& spec) { spec.resources.gpus.count = count; }))
      return;
  }
}

void TryFewerNodes(ChangeSearch& search) {
  search.TryMost(
      ChangeKind::kFewerNodes, search.spec().resources.nodes, 1,
      [](JobSpec& spec, int64_t nodes) { spec.resources.nodes = static_cast<int>(nodes); },
      "nodes:");
}

void TryTopology(ChangeSearch& search) {
  const JobSpec& asked = search.spec();
  const auto across = [](JobSpec& spec) { spec.placement.topology.allow_cross_numa = true; };
  const auto weaker = [](JobSpec& spec) { spec.placement.topology.require = TopologyLevel::kNone; };
  const bool strict = !asked.placement.topology.allow_cross_numa;
  const bool requires_some = asked.placement.topology.require != TopologyLevel::kNone;
  if (strict && search.Try(ChangeKind::kTopology, "topology.allow_cross_numa: true", across))
    return;
  if (requires_some && search.Try(ChangeKind::kTopology, "topology.require: none", weaker)) return;
  if (!strict || !requires_some) return;
  search.Try(ChangeKind::kTopology, "topology: {require: none, allow_cross_numa: true}",
             [&](JobSpec& spec) {
               across(spec);
               weaker(spec);
             });
}

void TryModels(ChangeSearch& search) {
  if (search.spec().resources.gpus.models.empty()) return;
  std::set<std::string> models;
  ForEachGpu(search, [&](const GpuFacts& gpu) { models.insert(gpu.model); });
  for (const std::string& model : models) {
    if (search.Try(ChangeKind::kModel, "model: " + model,
                   [&](JobSpec& spec) { spec.resources.gpus.models = {model}; }))
      return;
  }
}

void TryGpuMemory(ChangeSearch& search) {
  const JobSpec& asked = search.spec();
  std::set<int64_t, std::greater<>> sizes;
  ForEachGpu(search, [&](const GpuFacts& gpu) { sizes.insert(gpu.memory_mib); });
  for (const int64_t size : sizes) {
    if (size >= asked.resources.gpus.memory_mib_min) continue;
    const std::string text = "memory_min: " + std::to_string(size) + "MiB instead of " +
                             std::to_string(asked.resources.gpus.memory_mib_min) + "MiB";
    if (search.Try(ChangeKind::kGpuMemory, text,
                   [size](JobSpec& spec) { spec.resources.gpus.memory_mib_min = size; }))
      return;
  }
}

void TryHost(ChangeSearch& search) {
  const JobSpec& asked = search.spec();
  search.TryMost(
      ChangeKind::kHost, asked.resources.cpus, 1,
      [](JobSpec& spec, int64_t cpus) { spec.resources.cpus = static_cast<int>(cpus); }, "cpus:");
  constexpr int64_t kGiB = int64_t{1} << 30;
  const auto less = [](JobSpec& spec, int64_t gib) {
    spec.resources.memory_bytes = gib * kGiB;
    spec.resources.shm_bytes = std::min(spec.resources.shm_bytes, spec.resources.memory_bytes);
  };
  search.TryMost(ChangeKind::kHost, (asked.resources.memory_bytes + kGiB - 1) / kGiB, 1, less,
                 "memory:", "GiB");
}

void TryNodeLabels(ChangeSearch& search) {
  const JobSpec& asked = search.spec();
  for (const auto& [name, value] : asked.placement.node_labels) {
    if (search.Try(ChangeKind::kNodeLabels, "without the node label " + name + "=" + value,
                   [&](JobSpec& spec) { spec.placement.node_labels.erase(name); }))
      return;
  }
  if (asked.placement.node_labels.size() > 1)
    search.Try(ChangeKind::kNodeLabels, "without node labels",
               [](JobSpec& spec) { spec.placement.node_labels.clear(); });
}

}  // namespace gp
