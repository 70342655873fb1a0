#include "application/agent/node_facts.h"

#include <algorithm>

namespace gp {
namespace {

// NVML writes "00000000:1B:00.0", the host "0000:1b:00.0": converts to the host's form.
std::string PlainBusId(const std::string& bus_id) {
  std::string plain;
  for (const char c : bus_id) plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  const size_t domain_end = plain.find(':');
  if (domain_end != std::string::npos && domain_end > 4) plain = plain.substr(domain_end - 4);
  return plain;
}

int PositionOf(const NodeFacts& facts, int os_id) {
  const auto numa = std::ranges::find(facts.numa, os_id, &NumaFacts::os_id);
  return numa == facts.numa.end() ? -1 : static_cast<int>(numa - facts.numa.begin());
}

int NumaOf(const NodeFacts& facts, const HostFacts& host, const GpuIdentity& gpu) {
  const std::string bus_id = PlainBusId(gpu.pci_bus_id);
  const auto place = std::ranges::find_if(
      host.gpus, [&](const PciGpu& pci) { return PlainBusId(pci.pci_bus_id) == bus_id; });
  if (place == host.gpus.end() || !place->numa_node) return -1;
  return PositionOf(facts, *place->numa_node);
}

// The MIG profiles of a GPU.  Profiles with engines besides compute ("+me", "+gfx") are left out: a
// GPU has few of them, and jobs request only compute and memory.
MigTable MigTableOf(const GpuIdentity& gpu, int64_t usable_mib,
                    std::vector<std::string>& warnings) {
  MigTable table;
  if (!gpu.mig_enabled) return table;
  for (const MigProfileInfo& one : gpu.mig_profiles) {
    if (one.name.find_first_of("+-") != std::string::npos || one.placements.empty()) continue;
    MigProfile profile{one.id,
                       one.name,
                       one.compute_slices,
                       one.placements.front().size,
                       std::min<int64_t>(one.memory_mib, usable_mib),
                       0};
    for (const MigPlacement& place : one.placements) {
      if (place.start >= 0 && place.start < kMigSlicesMax)
        profile.starts |= MigSlices{1} << place.start;
      table.memory_slices = std::max(table.memory_slices, place.start + place.size);
    }
    table.compute_slices = std::max(table.compute_slices, profile.compute_slices);
    table.profiles.push_back(std::move(profile));
  }
  std::ranges::sort(table.profiles, {}, &MigProfile::id);
  if (table.profiles.empty()) {
    table.compute_slices = table.memory_slices = 1;
    warnings.push_back(
        gpu.uuid +
        ": in MIG mode, but the driver does not report its MIG profiles: no job can use it");
  }
  return table;
}

}  // namespace

FoundNode MakeNodeFacts(const std::string& name, bool simulated, const HostFacts& host,
                        const DriverInventory& inventory) {
  FoundNode found;
  found.warnings = host.warnings;
  found.warnings.insert(found.warnings.end(), inventory.warnings.begin(), inventory.warnings.end());
  NodeFacts& facts = found.facts;
  facts.name = name;
  facts.simulated = simulated;
  facts.driver_version = inventory.driver_version;
  for (const NumaNode& numa : host.numa_nodes) {
    facts.numa.push_back({numa.id, numa.package, numa.cpus, numa.memory_mib});
  }
  for (const GpuIdentity& gpu : inventory.gpus) {
    int numa = NumaOf(facts, host, gpu);
    if (numa < 0) {
      if (facts.numa.size() > 1)
        found.warnings.push_back(gpu.uuid + ": NUMA node unknown, the first one is assumed");
      numa = 0;
    }
    facts.gpus.push_back({gpu.uuid, gpu.name, gpu.pci_bus_id, gpu.minor, numa,
                          gpu.memory_total_mib - gpu.memory_reserved_mib});
    facts.gpus.back().mig = MigTableOf(gpu, facts.gpus.back().memory_mib, found.warnings);
  }
  const size_t count = facts.gpus.size();
  facts.links.assign(count * count, 0);
  const auto position = [&](int index) {
    return static_cast<size_t>(std::ranges::find(inventory.gpus, index, &GpuIdentity::index) -
                               inventory.gpus.begin());
  };
  for (const GpuLinks& link : inventory.links) {
    const size_t a = position(link.gpu_a);
    const size_t b = position(link.gpu_b);
    if (a >= count || b >= count) continue;
    facts.links[a * count + b] = facts.links[b * count + a] =
        static_cast<uint8_t>(std::min(link.link_count, 255));
  }
  return found;
}

}  // namespace gp
