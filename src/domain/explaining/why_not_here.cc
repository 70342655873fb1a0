#include "domain/explaining/why_not_here.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <memory>
#include <ranges>

#include "base/text.h"
#include "domain/cluster/quotas/grants.h"
#include "domain/model/nodes/features.h"
#include "domain/placement/choose_gpus.h"
#include "domain/placement/out_of_service.h"

namespace gp {
namespace {

Job With(const Job& job, const std::function<void(JobSpec&)>& edit) {
  Job changed = job;
  JobSpec spec = *job.spec;
  edit(spec);
  changed.spec = std::make_shared<const JobSpec>(std::move(spec));
  return changed;
}

Job AnyTopology(const Job& job) {
  return With(job, [](JobSpec& spec) {
    spec.placement.topology = {.require = TopologyLevel::kNone, .allow_cross_numa = true};
  });
}

std::string WhyClosed(const Node& node, const Job& job) {
  if (node.pool != job.pool) return "in pool " + node.pool;
  const std::string& reservation = job.spec->placement.reservation;
  if (!reservation.empty() && !node.reservations.contains(reservation))
    return "not in reservation " + reservation;
  for (const auto& [name, value] : job.spec->placement.node_labels) {
    const auto found = node.labels.find(name);
    if (found == node.labels.end() || found->second != value)
      return "without the label " + name + "=" + value;
  }
  const std::string missing = MissingFeature(*job.spec, *node.facts);
  return missing.empty() ? "" : "does not offer " + missing;
}

bool IsDivided(const GpuFacts& gpu) { return !gpu.mig.empty(); }

std::string WhyNoInstance(const Node& ideal) {
  return std::ranges::any_of(ideal.facts->gpus, IsDivided) ? "no MIG instance of the requested size"
                                                           : "no GPU in MIG mode";
}

// Why the node could not take a rank even if it were empty and in service.
std::string WhyNever(const Node& ideal, const Job& job) {
  const int requested = job.spec->resources.gpus.count;
  const int eligible = std::popcount(EligibleGpus(ideal, job));
  if (eligible == 0 && requested > 0) {
    const Job any_model = With(job, [](JobSpec& spec) { spec.resources.gpus.models.clear(); });
    if (ideal.gpus.empty()) return "no GPUs";
    const Job in_turns =
        With(job, [](JobSpec& spec) { spec.resources.gpus.isolation = Isolation::kTimeslice; });
    if (job.spec->resources.gpus.isolation == Isolation::kMps && EligibleGpus(ideal, in_turns) != 0)
      return "no MPS on its GPUs";
    if (job.spec->resources.gpus.isolation == Isolation::kMig) return WhyNoInstance(ideal);
    if (std::ranges::all_of(ideal.facts->gpus, IsDivided)) return "its GPUs are in MIG mode";
    return EligibleGpus(ideal, any_model) == 0 ? "GPUs with too little memory"
                                               : "another GPU model";
  }
  if (eligible < requested)
    return "has " + Count(eligible, "suitable GPU") + ", not " + std::to_string(requested);
  return Fits(ideal, AnyTopology(job)) ? "its GPUs are never as close together as topology requires"
                                       : "has too few cores or too little memory";
}

// "GPU 0 is missing and 2 more are out of service": the same for all nodes of a class.
std::string TellOut(const Node& node, GpuMask out) {
  const int first = std::countr_zero(out);
  const int more = std::popcount(out) - 1;
  const std::string rest = more == 0
                               ? ""
                               : " and " + std::to_string(more) +
                                     (more == 1 ? " more is" : " more are") + " out of service";
  return "GPU " + std::to_string(first) + " " + WhatAils(node, first) + rest;
}

// The node has suitable GPUs, but they are held or out of service.
std::string WhyTooFewFree(const Node& node, const Job& job) {
  const auto is_usable = [&](size_t i) {
    return IsGrantable(node.gpus[i]) && IsDivided(node.facts->gpus[i]);
  };
  const bool by_mig = job.spec->resources.gpus.isolation == Isolation::kMig;
  if (by_mig && std::ranges::any_of(std::views::iota(size_t{0}, node.gpus.size()), is_usable))
    return "no room left for a MIG instance of the requested size";
  const auto shared = static_cast<int>(std::ranges::count_if(node.gpus, [](const Gpu& gpu) {
    return gpu.mode != GpuMode::kFree && gpu.mode != GpuMode::kWhole;
  }));
  const auto held = static_cast<int>(
      std::ranges::count_if(node.gpus, [](const Gpu& gpu) { return gpu.mode == GpuMode::kWhole; }));
  std::string text = held > 0 ? Count(held, "GPU") + " held" : "";
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (shared > 0) add(Count(shared, "GPU") + " shared");
  if (const GpuMask out = OutOfService(node, 1); out != 0) add(TellOut(node, out));
  const auto unlinked = std::ranges::count_if(node.gpus, [&](const Gpu& gpu) {
    return IsGrantable(gpu) && !IsGrantable(gpu, job.spec->resources.gpus.count);
  });
  if (unlinked > 0) add(Count(static_cast<int>(unlinked), "GPU") + " with an NVLink down");
  return text.empty() ? "too few GPUs for " + std::to_string(job.spec->resources.gpus.count) : text;
}

// Enough GPUs are free, but they cannot be had together.
std::string WhyNotTogether(const Node& node, const Job& job) {
  const auto without = [&](bool cores, bool memory) {
    Node other = node;
    for (NumaLedger& numa : other.numa) {
      if (cores) numa.cpus_granted = {};
      if (memory) numa.memory_granted_mib = 0;
    }
    return Fits(other, job);
  };
  if (!without(true, true)) return "free GPUs are not as close together as topology requires";
  if (without(true, false)) return "too few cores free";
  return without(false, true) ? "too little host memory free"
                              : "too few cores and too little host memory free";
}

}  // namespace

std::string WhyNotHere(const Node& node, const Job& job) {
  if (Fits(node, job)) return "";
  if (const std::string closed = WhyClosed(node, job); !closed.empty()) return closed;
  if (const Node ideal = Ideal(node); !Fits(ideal, job)) return WhyNever(ideal, job);
  if (node.condition != NodeCondition::kUp) return "lost";
  if (node.draining) return "draining";
  return std::popcount(EligibleGpus(node, job)) < job.spec->resources.gpus.count
             ? WhyTooFewFree(node, job)
             : WhyNotTogether(node, job);
}

}  // namespace gp
