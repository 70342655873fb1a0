#pragma once

// A real machine, written down: the inverse of ReadMachineFile.  What `gpu-platform capture` saves.

#include <string>
#include <vector>

#include "ports/outbound/gpu_driver.h"
#include "ports/outbound/host_topology.h"

namespace gp {

// YAML.  The readings of `health` become what the machine shows at rest, so capture an idle one.
// Left out, because the ports do not tell it: the bus ids of NVSwitches (a placeholder stands for
// them), MIG tables (named after model and size) and fabrics between hosts.
std::string WriteMachineFile(const HostFacts& host, const DriverInventory& inventory,
                             const std::vector<GpuHealth>& health);

}  // namespace gp
