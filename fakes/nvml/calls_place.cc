// The place of a GPU in its host.

#include <algorithm>

#include "fakes/nvml/driver.h"
#include "fakes/nvml/topology.h"

namespace gp {
namespace {

const MachineNuma* NumaOf(const Machine& machine, const MachineGpu& gpu) {
  for (const MachineNuma& numa : machine.numa) {
    if (gpu.numa && numa.id == *gpu.numa) return &numa;
  }
  return nullptr;
}

void WriteWords(const CpuSet& set, unsigned words, unsigned long* out) {
  std::fill_n(out, words, 0ul);
  const auto& from = set.words();
  std::copy_n(from.begin(), std::min<size_t>(from.size(), words), out);
}

// CPUs of the node, or of the whole package.
CpuSet CpusOf(const Machine& machine, const MachineNuma& numa, nvmlAffinityScope_t scope) {
  if (scope == NVML_AFFINITY_SCOPE_NODE) return numa.cpus;
  CpuSet cpus;
  for (const MachineNuma& other : machine.numa) {
    if (other.package == numa.package) cpus = cpus.Union(other.cpus);
  }
  return cpus;
}

// Calls body(const Machine&, const MachineNuma&) for a GPU whose NUMA node is known.
template <typename Body>
nvmlReturn_t WithNuma(const char* call, nvmlDevice_t device, Body body) {
  return WithHandle(call, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    const Machine& machine = driver.world().machine;
    const MachineNuma* numa = NumaOf(machine, machine.gpus[static_cast<size_t>(handle.gpu)]);
    if (numa == nullptr) return NVML_ERROR_NOT_SUPPORTED;
    return body(machine, *numa);
  });
}

// Calls body(const MachineGpu& a, const MachineGpu& b).
template <typename Body>
nvmlReturn_t WithPair(const char* call, nvmlDevice_t a, nvmlDevice_t b, Body body) {
  return WithHandle(call, a, [&](FakeDriver& driver, const nvmlDevice_st& first) {
    const nvmlDevice_st* second = driver.Find(b);
    if (second == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    const auto& gpus = driver.world().machine.gpus;
    return body(gpus[static_cast<size_t>(first.gpu)], gpus[static_cast<size_t>(second->gpu)]);
  });
}

bool AreLinked(const MachineGpu& a, const MachineGpu& b) {
  return std::ranges::any_of(a.links, [&](const MachineLink& link) {
    return link.remote == b.pci || (link.to_switch && !b.links.empty() && b.links[0].to_switch);
  });
}

// Fills `devices` as NVML does: count is the capacity on input and the number on output.
template <typename Is>
nvmlReturn_t ListGpus(FakeDriver* driver, unsigned* count, nvmlDevice_t* devices, Is is) {
  const unsigned room = devices == nullptr ? 0 : *count;
  unsigned found = 0;
  for (const int gpu : driver->listed()) {
    if (!is(driver->world().machine.gpus[static_cast<size_t>(gpu)])) continue;
    if (found < room) devices[found] = driver->Device(gpu);
    ++found;
  }
  *count = found;
  return NVML_SUCCESS;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetCpuAffinityWithinScope(nvmlDevice_t device, unsigned words,
                                                 unsigned long* cpus, nvmlAffinityScope_t scope) {
  if (cpus == nullptr || words == 0) return NVML_ERROR_INVALID_ARGUMENT;
  return WithNuma(__func__, device, [&](const Machine& machine, const MachineNuma& numa) {
    WriteWords(CpusOf(machine, numa, scope), words, cpus);
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceGetCpuAffinity(nvmlDevice_t device, unsigned words, unsigned long* cpus) {
  return nvmlDeviceGetCpuAffinityWithinScope(device, words, cpus, NVML_AFFINITY_SCOPE_NODE);
}
nvmlReturn_t nvmlDeviceGetMemoryAffinity(nvmlDevice_t device, unsigned words, unsigned long* nodes,
                                         nvmlAffinityScope_t) {
  if (nodes == nullptr || words == 0) return NVML_ERROR_INVALID_ARGUMENT;
  return WithNuma(__func__, device, [&](const Machine&, const MachineNuma& numa) {
    CpuSet node;
    node.Add(numa.id);
    WriteWords(node, words, nodes);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t a, nvmlDevice_t b,
                                                 nvmlGpuTopologyLevel_t* level) {
  if (level == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithPair(__func__, a, b, [&](const MachineGpu& first, const MachineGpu& second) {
    *level = CommonAncestor(first, second);
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceGetTopologyNearestGpus(nvmlDevice_t device, nvmlGpuTopologyLevel_t level,
                                              unsigned* count, nvmlDevice_t* devices) {
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithHandle(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    const MachineGpu& self = driver.world().machine.gpus[static_cast<size_t>(handle.gpu)];
    return ListGpus(&driver, count, devices, [&](const MachineGpu& other) {
      return other.uuid != self.uuid && CommonAncestor(self, other) == level;
    });
  });
}
nvmlReturn_t nvmlSystemGetTopologyGpuSet(unsigned cpu, unsigned* count, nvmlDevice_t* devices) {
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithDriver(__func__, std::nullopt, [&](FakeDriver& driver) {
    return ListGpus(&driver, count, devices, [&](const MachineGpu& gpu) {
      const MachineNuma* numa = NumaOf(driver.world().machine, gpu);
      return numa != nullptr && numa->cpus.Contains(static_cast<int>(cpu));
    });
  });
}
nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t a, nvmlDevice_t b, nvmlGpuP2PCapsIndex_t index,
                                    nvmlGpuP2PStatus_t* status) {
  if (status == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithPair(__func__, a, b, [&](const MachineGpu& first, const MachineGpu& second) {
    const bool linked = AreLinked(first, second);
    const bool needs_link =
        index == NVML_P2P_CAPS_INDEX_NVLINK || index == NVML_P2P_CAPS_INDEX_ATOMICS;
    *status = linked || !needs_link ? NVML_P2P_STATUS_OK : NVML_P2P_STATUS_NOT_SUPPORTED;
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceOnSameBoard(nvmlDevice_t a, nvmlDevice_t b, int* same) {
  if (same == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithPair(__func__, a, b, [&](const MachineGpu& first, const MachineGpu& second) {
    *same = first.uuid == second.uuid ? 1 : 0;
    return NVML_SUCCESS;
  });
}

}  // extern "C"
}  // namespace gp
