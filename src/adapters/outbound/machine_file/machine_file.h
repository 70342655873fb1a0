#pragma once

#include <string>
#include <vector>

#include "adapters/outbound/machine_file/gpu_buses.h"
#include "base/result.h"
#include "ports/outbound/gpu_driver.h"
#include "ports/outbound/host_topology.h"

namespace gp {

// A machine file (docs/formats/machine.md) describes a host and its GPUs.  It is captured from a
// real machine or written by hand, and played by the fake driver and by MachineFileTopology.
struct MachineFile {
  HostFacts host;
  // The GPUs of the file, without MIG profiles: the file names a model's table, which the driver
  // that plays the file expands.
  DriverInventory inventory;
  std::vector<GpuBuses> buses;  // in the order of inventory.gpus
};

// Errors name file, line and column and, for an unknown key, the most similar known one.
Result<MachineFile> ParseMachineFile(const std::string& yaml, const std::string& file);
Result<MachineFile> ReadMachineFile(const std::string& path);

}  // namespace gp
