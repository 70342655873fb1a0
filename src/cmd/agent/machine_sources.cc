#include "cmd/agent/machine_sources.h"

#include <cstdlib>

#include "adapters/outbound/hwloc/hwloc_topology.h"
#include "adapters/outbound/machine_file/machine_file_topology.h"
#include "adapters/outbound/nvml/nvml_driver.h"
#include "infrastructure/paths.h"

namespace gp {

Result<MachineSources> OpenThisMachine(const std::string& nvml) {
  MachineSources sources;
  sources.driver = GP_TRY(NvmlDriver::Open(nvml.empty() ? kNvmlLibraryName : nvml));
  sources.host = HwlocTopology::OpenLive();
  return sources;
}

Result<MachineSources> OpenSimulatedMachine(const std::string& machine) {
  MachineSources sources;
  const std::string file = GP_TRY(MachineFilePath(machine));
  const std::string library = GP_TRY(FakeDriverPath());
  sources.host = GP_TRY(MachineFileTopology::Open(file));
  // The simulated driver reads its machine from the environment when it is loaded.
  setenv("GPU_PLATFORM_FAKE_NVML_MACHINE", file.c_str(), 1);
  Result<std::unique_ptr<NvmlDriver>> driver = NvmlDriver::Open(library);
  unsetenv("GPU_PLATFORM_FAKE_NVML_MACHINE");
  sources.driver = GP_TRY(std::move(driver));
  return sources;
}

}  // namespace gp
