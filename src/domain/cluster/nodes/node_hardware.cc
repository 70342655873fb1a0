#include "domain/cluster/nodes/node_hardware.h"

#include <algorithm>

namespace gp {
namespace {

class Merger {
 public:
  Merger(const Node& node, const NodeFacts& reported, const std::vector<const Lease*>& held)
      : node_(node), known_(*node.facts), reported_(reported), held_(held) {}

  Result<HardwareChange> Merge() {
    change_.facts = reported_;
    MergeNuma();
    GP_CHECK_OK(MergeGpus());
    MergeLinks();
    GP_CHECK_OK(ValidateNodeFacts(change_.facts));
    return std::move(change_);
  }

 private:
  // Grants name positions of NUMA nodes: while there are grants, no NUMA node is removed or moved.
  void MergeNuma() {
    std::vector<NumaFacts>& numa = change_.facts.numa;
    if (!node_.leases.empty()) {
      numa = known_.numa;
      for (NumaFacts& one : numa) {
        one.cpus = {};
        one.memory_mib = 0;
      }
    } else {
      numa.clear();
    }
    for (const NumaFacts& one : reported_.numa) {
      const auto same = std::ranges::find(numa, one.os_id, &NumaFacts::os_id);
      numa_places_.push_back(static_cast<int>(same - numa.begin()));
      if (same == numa.end()) {
        numa.push_back(one);
      } else {
        *same = one;
      }
    }
    KeepHeldNuma(numa);
  }

  void KeepHeldNuma(std::vector<NumaFacts>& numa) const {
    for (size_t i = 0; i < numa.size(); ++i) {
      CpuSet cpus;
      int64_t memory_mib = 0;
      for (const Lease* lease : held_) {
        for (const NumaGrant& grant : lease->numa) {
          if (grant.numa != static_cast<int>(i)) continue;
          cpus = cpus.Union(grant.cpus);
          memory_mib += grant.memory_mib;
        }
      }
      for (NumaFacts& other : numa) other.cpus = other.cpus.Minus(cpus);
      numa[i].cpus = numa[i].cpus.Union(cpus);
      numa[i].memory_mib = std::max(numa[i].memory_mib, memory_mib);
    }
  }

  Status MergeGpus() {
    std::vector<GpuFacts>& gpus = change_.facts.gpus;
    gpus = known_.gpus;
    for (size_t i = 0; i < gpus.size(); ++i) {
      if (reported_.PositionOf(gpus[i].uuid) >= 0) continue;
      if (gpus[i].presence == GpuPresence::kPresent) change_.missing.push_back(static_cast<int>(i));
      if (gpus[i].presence == GpuPresence::kPresent) gpus[i].presence = GpuPresence::kMissing;
      gpus[i].numa = NumaPlaceOf(gpus[i].numa);
    }
    for (const GpuFacts& gpu : reported_.gpus) {
      const int place = PlaceFor(gpu.uuid);
      if (place < 0) {
        return Fail(Conflict("node " + known_.name + ": more than " + std::to_string(kGpusMax) +
                             " GPUs, counting those that are missing: close the incidents of those "
                             "that are gone for good "
                             "(gpu-platform incidents list)"));
      }
      places_.push_back(place);
      Place(gpu, static_cast<size_t>(place));
    }
    return Ok();
  }

  int NumaPlaceOf(int known_place) const {
    const auto same = std::ranges::find(
        change_.facts.numa, known_.numa[static_cast<size_t>(known_place)].os_id, &NumaFacts::os_id);
    return same == change_.facts.numa.end() ? 0
                                            : static_cast<int>(same - change_.facts.numa.begin());
  }

  // Once all positions were used, positions of retired GPUs are used again.
  int PlaceFor(const std::string& uuid) {
    std::vector<GpuFacts>& gpus = change_.facts.gpus;
    if (const int known = change_.facts.PositionOf(uuid); known >= 0) return known;
    if (gpus.size() < kGpusMax) {
      gpus.emplace_back();
      return static_cast<int>(gpus.size()) - 1;
    }
    const auto retired = std::ranges::find(gpus, GpuPresence::kRetired, &GpuFacts::presence);
    return retired == gpus.end() ? -1 : static_cast<int>(retired - gpus.begin());
  }

  void Place(const GpuFacts& gpu, size_t place) {
    GpuFacts& merged = change_.facts.gpus[place];
    const GpuFacts known = std::exchange(merged, gpu);
    merged.numa = numa_places_[static_cast<size_t>(gpu.numa)];
    const bool is_held = place < node_.gpus.size() && !node_.gpus[place].leases.empty();
    if (known.uuid != gpu.uuid || !is_held) return;
    // Grants count as shares of the memory size at the time of the grant.
    merged.memory_mib = known.memory_mib;
    merged.mig = known.mig;
    if (known.mig != gpu.mig) change_.divided.push_back(static_cast<int>(place));
  }

  // Links of a missing GPU stay: they describe the node once the GPU is back.
  void MergeLinks() {
    const size_t size = change_.facts.gpus.size();
    std::vector<uint8_t>& links = change_.facts.links;
    links.assign(size * size, 0);
    const size_t before = known_.gpus.size();
    for (size_t a = 0; a < before; ++a) {
      for (size_t b = 0; b < before; ++b) {
        const bool are_same = change_.facts.gpus[a].uuid == known_.gpus[a].uuid &&
                              change_.facts.gpus[b].uuid == known_.gpus[b].uuid;
        if (are_same) links[a * size + b] = known_.links[a * before + b];
      }
    }
    for (size_t a = 0; a < places_.size(); ++a) {
      for (size_t b = 0; b < places_.size(); ++b) {
        links[static_cast<size_t>(places_[a]) * size + static_cast<size_t>(places_[b])] =
            reported_.links[a * places_.size() + b];
      }
    }
  }

  const Node& node_;
  const NodeFacts& known_;
  const NodeFacts& reported_;
  const std::vector<const Lease*>& held_;
  HardwareChange change_;
  std::vector<int> numa_places_;  // of the reported NUMA nodes
  std::vector<int> places_;       // of the reported GPUs
};

}  // namespace

bool IsSameMachine(const NodeFacts& known, const NodeFacts& reported) {
  const auto is_in = [](const GpuFacts& gpu) { return gpu.presence == GpuPresence::kPresent; };
  const auto was_seen = [&](const GpuFacts& gpu) { return known.PositionOf(gpu.uuid) >= 0; };
  const auto is_seen = [&](const GpuFacts& gpu) {
    return was_seen(gpu) && is_in(known.gpus[static_cast<size_t>(known.PositionOf(gpu.uuid))]);
  };
  const bool is_one_machine = !known.machine.empty() && known.machine == reported.machine;
  if (std::ranges::any_of(known.gpus, is_in) && !reported.gpus.empty()) {
    return std::ranges::any_of(reported.gpus, is_seen) ||
           (is_one_machine && std::ranges::any_of(reported.gpus, was_seen));
  }
  return is_one_machine || known.machine.empty() || reported.machine.empty();
}

Result<HardwareChange> MergeHardware(const Node& node, const NodeFacts& reported,
                                     const std::vector<const Lease*>& held) {
  return Merger(node, reported, held).Merge();
}

bool IsHeldBack(const Node& node, const NodeFacts& reported) {
  Node free = node;
  free.leases.clear();
  for (Gpu& gpu : free.gpus) gpu.leases.clear();
  return IsOutOfDate(State{}, free, reported);
}

bool IsOutOfDate(const State& state, const Node& node, const NodeFacts& reported) {
  std::vector<const Lease*> held;
  for (const LeaseId lease : node.leases) held.push_back(state.FindLease(lease));
  const auto merged = MergeHardware(node, reported, held);
  return merged && merged->facts != *node.facts;
}

}  // namespace gp
