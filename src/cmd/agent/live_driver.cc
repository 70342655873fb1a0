#include "cmd/agent/live_driver.h"

#include <cctype>
#include <filesystem>
#include <string>

#include "adapters/outbound/driver_files/driver_files.h"
#include "adapters/outbound/driver_files/driver_list.h"
#include "base/paths.h"
#include "base/text.h"
#include "cmd/agent/device_files.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModeset = "/dev/nvidia-modeset";
constexpr DeviceNumber kSimulatedModeset{195, 254};
constexpr int kRenderMajor = 226;
// Far from those of the host's own devices, which simulated jobs must not open.
constexpr int kSimulatedRenderMinor = 4'096;

// "00000000:1B:00.0", as NVML has it -> "/sys/bus/pci/devices/0000:1b:00.0/drm".
std::string DrmDirectoryOf(const GpuFacts& gpu) {
  std::string address = gpu.pci_bus_id;
  constexpr size_t kLength = std::string_view("0000:1b:00.0").size();
  if (address.size() > kLength) address.erase(0, address.size() - kLength);
  for (char& c : address) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return "/sys/bus/pci/devices/" + address + "/drm";
}

std::optional<DeviceNumber> RenderNodeOf(const GpuFacts& gpu) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(DrmDirectoryOf(gpu), failed)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("renderD")) return DeviceAt("/dev/dri/" + name);
  }
  return std::nullopt;
}

std::optional<DeviceNumber> SimulatedRenderNodeOf(const GpuFacts& gpu) {
  return DeviceNumber{kRenderMajor, kSimulatedRenderMinor + gpu.minor};
}

DriverPlaces PlacesFor(const AgentConfig& config) {
  if (!config.driver_directory.empty()) return {{}, {config.driver_directory}};
  return config.simulate.empty() ? UsualDriverPlaces() : DriverPlaces{};
}

void Say(const DriverFiles& found, const AgentConfig& config, OperatorLog& log) {
  if (!found.files.empty()) {
    log.Write(LogLevel::kInfo, "jobs in images get " +
                                   Count(static_cast<int64_t>(found.files.size()), "file") +
                                   " of the driver, as in " + found.source);
  } else if (config.simulate.empty() || !config.driver_directory.empty()) {
    log.Write(LogLevel::kWarning,
              "jobs in images get no libraries of the driver: none are found" +
                  (config.driver_directory.empty() ? "; set driver_directory"
                                                   : " in " + config.driver_directory));
  }
}

}  // namespace

bool DriverDraws() {
  std::error_code failed;
  return DeviceAt(kModeset).has_value() || fs::exists("/sys/module/nvidia_drm", failed);
}

Status AddDriver(const AgentConfig& config, OperatorLog& log, LaunchOptions& launch) {
  if (config.simulate.empty()) {
    if (const auto modeset = DeviceAt(kModeset)) launch.graphics_devices.push_back(*modeset);
    launch.render_node = RenderNodeOf;
  } else {
    launch.graphics_devices.push_back(kSimulatedModeset);
    launch.render_node = SimulatedRenderNodeOf;
  }
  const auto found = FindDriverFiles(PlacesFor(config));
  if (!found) {
    log.Write(LogLevel::kWarning,
              "jobs in images get no libraries of the driver: " + found.error().message);
    return Ok();
  }
  Say(*found, config, log);
  const std::string directory = config.state_directory + "/driver";
  GP_CHECK_OK(MakeDirectories(directory, 0755));
  GP_CHECK_OK(WriteDriverLists(*found, directory));
  if (!found->files.empty()) launch.driver_directory = directory;
  return Ok();
}

Status MakeSimulatedRenderNodes(const std::string& directory, const NodeFacts& facts) {
  GP_CHECK_OK(MakeSimulatedDevice(directory + "/nvidia-modeset", kSimulatedModeset, 0666));
  GP_CHECK_OK(MakeDirectories(directory + "/dri", 0755));
  for (const GpuFacts& gpu : facts.gpus) {
    const DeviceNumber node = *SimulatedRenderNodeOf(gpu);
    GP_CHECK_OK(MakeSimulatedDevice(directory + "/dri/renderD" + std::to_string(128 + gpu.minor),
                                    node, 0666));
  }
  return Ok();
}

}  // namespace gp
