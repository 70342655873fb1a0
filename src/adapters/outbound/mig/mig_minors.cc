#include "adapters/outbound/mig/mig_minors.h"

#include <fstream>

namespace gp {
namespace {

// The driver's numbering: two for configuration and monitoring, then instance by instance.
constexpr int kFirstMinor = 3;
constexpr int kGpuInstances = 15;
constexpr int kComputeInstances = 8;

std::string GpuInstanceName(int gpu_minor, int gpu_instance) {
  return "gpu" + std::to_string(gpu_minor) + "/gi" + std::to_string(gpu_instance) + "/access";
}

std::string ComputeInstanceName(int gpu_minor, int gpu_instance, int compute_instance) {
  return "gpu" + std::to_string(gpu_minor) + "/gi" + std::to_string(gpu_instance) + "/ci" +
         std::to_string(compute_instance) + "/access";
}

}  // namespace

Result<std::vector<DeviceNumber>> MigDevices(const std::string& minors_file, int caps_major,
                                             int gpu_minor, int gpu_instance,
                                             int compute_instance) {
  std::ifstream file(minors_file);
  const std::string names[] = {GpuInstanceName(gpu_minor, gpu_instance),
                               ComputeInstanceName(gpu_minor, gpu_instance, compute_instance)};
  std::vector<DeviceNumber> devices;
  std::string name;
  int minor = 0;
  while (file >> name >> minor) {
    if (name == names[0] || name == names[1]) devices.push_back({caps_major, minor});
  }
  if (devices.size() == std::size(names)) return devices;
  return Fail(Unavailable(minors_file + " does not list the devices of " + names[1]));
}

Result<int> CapsMajor(const std::string& devices_file) {
  std::ifstream file(devices_file);
  for (std::string line; std::getline(file, line);) {
    int major = 0;
    if (line.ends_with(" nvidia-caps") && std::sscanf(line.c_str(), "%d", &major) == 1)
      return major;
  }
  return Fail(
      Unavailable(devices_file + " does not list nvidia-caps, which MIG instances are opened by"));
}

std::vector<MigMinor> MigMinorsOf(int gpu_minor) {
  std::vector<MigMinor> all;
  int minor = kFirstMinor + gpu_minor * kGpuInstances * (1 + kComputeInstances);
  for (int gi = 0; gi < kGpuInstances; ++gi) {
    all.push_back({GpuInstanceName(gpu_minor, gi), minor++});
    for (int ci = 0; ci < kComputeInstances; ++ci)
      all.push_back({ComputeInstanceName(gpu_minor, gi, ci), minor++});
  }
  return all;
}

}  // namespace gp
