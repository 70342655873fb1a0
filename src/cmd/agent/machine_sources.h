#pragma once

// Sources of facts about a machine: hwloc and the driver of this one, or a machine file with the
// simulated driver.

#include <memory>
#include <string>

#include "ports/outbound/gpu_driver.h"
#include "ports/outbound/host_topology.h"

namespace gp {

struct MachineSources {
  std::unique_ptr<HostTopology> host;
  std::unique_ptr<GpuDriver> driver;
};

// `nvml` names the library to load; empty: the host's.  kUnavailable: no driver here.
Result<MachineSources> OpenThisMachine(const std::string& nvml);
// `machine` is a name or a machine file. One process simulates one machine.
Result<MachineSources> OpenSimulatedMachine(const std::string& machine);

}  // namespace gp
