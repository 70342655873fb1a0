#pragma once

// A machine file (docs/formats/machine.md): a host and its GPUs, written down.  Captured from a
// real machine or written by hand, it is played by the fake driver and by MachineFileTopology.

#include <string>
#include <vector>

#include "adapters/outbound/machine_file/gpu_buses.h"
#include "base/result.h"
#include "ports/outbound/gpu_driver.h"
#include "ports/outbound/host_topology.h"

namespace gp {

struct MachineFile {
  HostFacts host;
  // What the file says about the GPUs.  MIG profiles are not in it: the file names a model's table,
  // which the driver that plays the file expands.
  DriverInventory inventory;
  std::vector<GpuBuses> buses;  // as inventory.gpus
};

// Errors name file, line, column and, for a key that does not exist, the nearest that does.
Result<MachineFile> ParseMachineFile(const std::string& yaml, const std::string& file);
Result<MachineFile> ReadMachineFile(const std::string& path);

}  // namespace gp
