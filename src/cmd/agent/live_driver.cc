#include "cmd/agent/live_driver.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>

#include "adapters/outbound/driver_files/driver_files.h"
#include "adapters/outbound/driver_files/driver_list.h"
#include "base/text.h"
#include "cmd/agent/device_files.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModesetFile = "/dev/nvidia-modeset";
constexpr DeviceNumber kModeset{195, 254};
constexpr const char* kDrmDirectory = "/dev/dri";
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

// Without which users cannot open the files, as where they are root:render 0660.
std::vector<uint32_t> GroupsOfRenderNodes() {
  std::vector<uint32_t> groups;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(kDrmDirectory, failed)) {
    const bool is_render_node = entry.path().filename().string().starts_with("renderD");
    const auto group = is_render_node ? GroupThatOpens(entry.path()) : std::nullopt;
    if (group && std::ranges::find(groups, *group) == groups.end()) groups.push_back(*group);
  }
  return groups;
}

DriverPlaces PlacesFor(const AgentConfig& config) {
  if (!config.driver_directory.empty()) return {{}, {config.driver_directory}};
  return config.simulate.empty() ? UsualDriverPlaces() : DriverPlaces{};
}

void Say(const DriverFiles& found, const AgentConfig& config, OperatorLog& log) {
  for (const std::string& warning : found.warnings) log.Write(LogLevel::kWarning, warning);
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
  return DeviceAt(kModesetFile).has_value() || fs::exists("/sys/module/nvidia_drm", failed);
}

Status AddDriver(const AgentConfig& config, OperatorLog& log, LaunchOptions& launch) {
  launch.graphics_devices.push_back(kModeset);  // whose file may come later
  launch.render_node = config.simulate.empty() ? RenderNodeOf : SimulatedRenderNodeOf;
  if (config.simulate.empty()) launch.graphics_groups = GroupsOfRenderNodes();
  const DriverFiles found = FindDriverFiles(PlacesFor(config));
  Say(found, config, log);
  const std::string directory = config.state_directory + "/driver";
  GP_CHECK_OK(MakeDirectories(directory, 0755));
  GP_CHECK_OK(WriteDriverLists(found, directory));
  if (!found.files.empty()) launch.driver_directory = directory;
  return Ok();
}

Status MakeSimulatedRenderNodes(const std::string& directory, const NodeFacts& facts) {
  GP_CHECK_OK(MakeSimulatedDevice(directory + "/nvidia-modeset", kModeset, 0666));
  GP_CHECK_OK(MakeDirectories(directory + "/dri", 0755));
  for (const GpuFacts& gpu : facts.gpus) {
    const DeviceNumber node = *SimulatedRenderNodeOf(gpu);
    GP_CHECK_OK(MakeSimulatedDevice(directory + "/dri/renderD" + std::to_string(128 + gpu.minor),
                                    node, 0666));
  }
  return Ok();
}

}  // namespace gp
