#include "cmd/agent/live_agent.h"

#include <unistd.h>

#include <fstream>
#include <memory>

#include "adapters/outbound/log_clues/log_clues.h"
#include "adapters/outbound/process/carried_programs.h"
#include "base/paths.h"
#include "cmd/agent/device_files.h"
#include "cmd/agent/host_users.h"
#include "cmd/agent/live_driver.h"
#include "cmd/agent/live_mig.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

constexpr int kGpuMajor = 195;  // registered to NVIDIA
constexpr int kNvidiactlMinor = 255;

// nvidiactl, and nvidia-uvm whose major the kernel chose at load time.
std::vector<DeviceNumber> SharedDevices() {
  std::vector<DeviceNumber> devices{{kGpuMajor, kNvidiactlMinor}};
  std::ifstream file("/proc/devices");
  int major = 0;
  std::string name;
  for (std::string line; std::getline(file, line);) {
    if (std::sscanf(line.c_str(), "%d", &major) != 1) continue;
    if (line.ends_with(" nvidia-uvm")) {
      devices.push_back({major, 0});
      devices.push_back({major, 1});
    }
  }
  return devices;
}

// Nodes that stand for the simulated GPUs: opening a granted one reaches the kernel, which has no
// driver for it (ENXIO); opening any other is refused (EPERM).
Status MakeDeviceNodes(const std::string& directory, const NodeFacts& facts,
                       std::vector<std::string>& warnings) {
  GP_CHECK_OK(MakeDirectories(directory, 0755));
  for (const GpuFacts& gpu : facts.gpus) {
    const std::string path = directory + "/nvidia" + std::to_string(gpu.minor);
    const Status made = MakeSimulatedDevice(path, {kGpuMajor, gpu.minor}, 0666);
    if (!made) {
      warnings.push_back("no device nodes for the simulated GPUs: " + made.error().message);
      return Ok();
    }
  }
  if (const Status made = MakeSimulatedRenderNodes(directory, facts); !made)
    warnings.push_back("jobs cannot draw on the simulated GPUs: " + made.error().message);
  return Ok();
}

CpuSet OnlineCpus() {
  CpuSet cpus;
  cpus.AddRange(0, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)) - 1);
  return cpus;
}

}  // namespace

std::string TmpWarning(const std::string& directory) {
  return "--state " + directory +
         ": systems remove old files in /tmp, and jobs see all of it instead of a private /tmp; "
         "/var/lib/gpu-platform or /var/tmp is better";
}

Status AgentLoopPart::Start() {
  AgentOptions options = GP_TRY(MakeOptions());
  loop_ = std::make_unique<AgentLoop>(std::move(options), link_.link(), gpus_.runner(), logs_,
                                      &gpus_.keeper().keeper(), clock_);
  link_.tunnels().SetGateway(loop_.get());
  log_keeper_ =
      std::make_unique<LogKeeper>(config_.state_directory, config_.keep_logs, *loop_, clock_);
  gpus_.keeper().AwaitReadings();  // so that its first report covers the whole node
  thread_ = std::thread([this] { loop_->Run(); });
  return Ok();
}

void AgentLoopPart::Stop() {
  loop_->Stop();
  thread_.join();
  link_.tunnels().SetGateway(nullptr);
}

Result<AgentOptions> AgentLoopPart::MakeOptions() {
  AgentOptions options;
  options.facts = node_.facts();
  options.incarnation = attempts_.incarnation().number;
  options.fresh = attempts_.incarnation().fresh;
  options.followed = GP_TRY(FollowedController(config_.state_directory));
  options.keep_followed = [directory = config_.state_directory](const ControllerEpoch& followed) {
    return KeepFollowedController(directory, followed);
  };
  options.find_clues = [this](const LaunchSpec& launch) { return FindClues(logs_, launch); };
  options.held_images = [this] { return gpus_.images().Held(); };
  options.image_care = gpus_.image_care();
  options.log = &log_;
  options.port_blocks = &port_blocks_;
  LaunchOptions& launch = options.launch;
  launch.state_directory = config_.state_directory;
  launch.rsh_directory = GP_TRY(InstallRsh(config_.state_directory));
  launch.prolog = config_.prolog;
  launch.epilog = config_.epilog;
  launch.private_processes = !config_.host_processes;
  for (const std::string& prefix : config_.mount_prefixes)
    launch.mount_prefixes.push_back(PlainPath(prefix));
  const auto look_up = [service = config_.service_user, allow = config_.allow_root](
                           const User& user) { return ResolveUser(user, service, allow); };
  launch.resolve_user = [users = std::make_shared<HostUsers>(look_up, clock_)](const User& user) {
    return users->Resolve(user);
  };
  GP_CHECK_OK(AddDevices(launch));
  GP_CHECK_OK(AddDriver(config_, log_, launch));
  return options;
}

Status AgentLoopPart::AddDevices(LaunchOptions& launch) const {
  if (!node_.is_simulated()) {
    launch.shared_devices = SharedDevices();
    return Ok();
  }
  launch.device_directory = config_.state_directory + "/dev";
  launch.host_cpus = OnlineCpus();
  std::vector<std::string> warnings;
  GP_CHECK_OK(MakeDeviceNodes(launch.device_directory, *node_.facts(), warnings));
  GP_CHECK_OK(MakeSimulatedCaps(config_.state_directory, *node_.facts(), warnings));
  for (const std::string& warning : warnings) log_.Write(LogLevel::kWarning, warning);
  return Ok();
}

}  // namespace gp
