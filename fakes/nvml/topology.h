#pragma once

// How close two GPUs of a machine are on PCIe.

#include "adapters/outbound/nvml/abi_readings.h"
#include "fakes/nvml/machine.h"

namespace gp {

inline nvmlGpuTopologyLevel_t CommonAncestor(const MachineGpu& a, const MachineGpu& b) {
  if (a.pci == b.pci) return NVML_TOPOLOGY_INTERNAL;
  if (!a.pci_switch.empty() && a.pci_switch == b.pci_switch) return NVML_TOPOLOGY_SINGLE;
  if (!a.root.empty() && a.root == b.root) {
    return a.pci_switch.empty() ? NVML_TOPOLOGY_HOSTBRIDGE : NVML_TOPOLOGY_MULTIPLE;
  }
  return a.numa && a.numa == b.numa ? NVML_TOPOLOGY_NODE : NVML_TOPOLOGY_SYSTEM;
}

}  // namespace gp
