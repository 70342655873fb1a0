#pragma once

// Writes a real machine as a machine file: the inverse of ReadMachineFile.  `gpu-platform capture`
// uses it.

#include <string>
#include <vector>

#include "ports/outbound/gpu_driver.h"
#include "ports/outbound/host_topology.h"

namespace gp {

// Returns YAML.  The readings of `health` become the values of the idle machine, so capture an idle
// one.  The bus ids of NVSwitches (a placeholder stands for them), MIG tables (named after model
// and size) and fabrics between hosts are left out, because the ports do not provide them.
std::string WriteMachineFile(const HostFacts& host, const DriverInventory& inventory,
                             const std::vector<GpuHealth>& health);

}  // namespace gp
