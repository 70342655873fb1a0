#pragma once

// Which device nodes belong to a MIG instance.  NVIDIA's kernel driver gives each possible instance
// two minor numbers of nvidia-caps, and lists them all in one file (NVIDIA's MIG user guide,
// "Device nodes and capabilities"):
//   gpu0/gi1/access 12
//   gpu0/gi1/ci0/access 13
// where gpuN is the GPU's own minor number.

#include <string>
#include <vector>

#include "base/result.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

inline constexpr const char* kMigMinorsPath = "/proc/driver/nvidia-caps/mig-minors";

// kUnavailable: the file does not exist, or does not list the instance.
Result<std::vector<DeviceNumber>> MigDevices(const std::string& minors_file, int caps_major,
                                             int gpu_minor, int gpu_instance, int compute_instance);

// The major number of nvidia-caps, assigned by the kernel; kUnavailable: the driver has none.
Result<int> CapsMajor(const std::string& devices_file = "/proc/devices");

// The same table for a simulated GPU.
struct MigMinor {
  std::string name;  // "gpu0/gi1/access"
  int minor = 0;
};
std::vector<MigMinor> MigMinorsOf(int gpu_minor);

}  // namespace gp
