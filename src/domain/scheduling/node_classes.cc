#include "domain/scheduling/node_classes.h"

#include "base/bytes.h"

namespace gp {
namespace {

constexpr ClassId kNone = ~ClassId{0};

// All of the hardware except names and addresses.
std::string HardwareKey(const NodeFacts& facts) {
  ByteWriter key;
  key.U64(facts.numa.size());
  for (const NumaFacts& numa : facts.numa) {
    key.U64(static_cast<uint64_t>(numa.package));
    key.I64(numa.cpus.Count());
    key.U64(static_cast<uint64_t>(numa.memory_mib));
  }
  for (const GpuFacts& gpu : facts.gpus) {
    key.String(gpu.model);
    key.U64(static_cast<uint64_t>(gpu.numa));
    key.U64(static_cast<uint64_t>(gpu.memory_mib));
    key.U64((gpu.mps ? 1 : 0) | static_cast<uint64_t>(gpu.presence) << 1);
    // Also if the possible instances are unknown: the GPU is in MIG mode all the same.
    key.U64(static_cast<uint64_t>(gpu.mig.compute_slices) |
            static_cast<uint64_t>(gpu.mig.memory_slices) << 16);
    key.U64(gpu.mig.profiles.size());
    for (const MigProfile& profile : gpu.mig.profiles) {
      key.U64(static_cast<uint64_t>(profile.id));
      key.U64(static_cast<uint64_t>(profile.compute_slices) |
              static_cast<uint64_t>(profile.memory_slices) << 16 |
              static_cast<uint64_t>(profile.starts) << 32);
      key.U64(static_cast<uint64_t>(profile.memory_mib));
    }
  }
  key.U64(facts.features.size());
  for (const std::string& feature : facts.features) key.String(feature);
  key.String(std::string(facts.links.begin(), facts.links.end()));
  return key.Take();
}

std::string KeyOf(const Node& node, uint64_t hardware) {
  ByteWriter key;
  key.U64(hardware);
  key.String(node.pool);
  key.U64(node.labels.size());
  for (const auto& [name, value] : node.labels) {
    key.String(name);
    key.String(value);
  }
  key.U64(node.reservations.size());
  for (const std::string& name : node.reservations) key.String(name);
  key.U64((node.condition == NodeCondition::kUp ? 1 : 0) | (node.draining ? 2 : 0));
  for (const Gpu& gpu : node.gpus) {
    key.U64(static_cast<uint64_t>(gpu.condition) | (gpu.draining ? 1 << 8 : 0) |
            static_cast<uint64_t>(gpu.mode) << 16 | (gpu.leases.empty() ? 0 : 1 << 24) |
            (gpu.leases.size() >= kMpsLeasesMax ? 1 << 25 : 0) |
            static_cast<uint64_t>(gpu.share_granted) << 32);
    key.U64(static_cast<uint64_t>(gpu.memory_granted_mib));
    key.U64(gpu.mig_slices);
    key.String(gpu.owner);
  }
  for (const NumaLedger& numa : node.numa) {
    key.I64(numa.cpus_granted.Count());  // only the number decides what fits
    key.U64(static_cast<uint64_t>(numa.memory_granted_mib));
  }
  return key.Take();
}

}  // namespace

uint64_t NodeClasses::HardwareOf(const Node& node) {
  Hardware& known = hardware_[node.id.value];
  if (known.facts != node.facts)
    known = {node.facts,
             hardware_numbers_.try_emplace(HardwareKey(*node.facts), hardware_numbers_.size())
                 .first->second};
  return known.number;
}

void NodeClasses::Place(const Node& node) {
  const size_t at = node.id.value;
  if (at >= class_of_.size()) {
    class_of_.resize(at + 1, kNone);
    hardware_.resize(at + 1);
  }
  const auto [found, is_new] =
      by_key_.try_emplace(KeyOf(node, HardwareOf(node)), static_cast<ClassId>(classes_.size()));
  if (is_new) classes_.push_back({node, {}, {}});
  if (class_of_[at] == found->second) return;
  if (class_of_[at] != kNone) {
    classes_[class_of_[at]].members.erase(node.id);
    classes_[class_of_[at]].bits.Erase(node.id);
  }
  class_of_[at] = found->second;
  classes_[found->second].members.insert(node.id);
  classes_[found->second].bits.Insert(node.id);
}

}  // namespace gp
