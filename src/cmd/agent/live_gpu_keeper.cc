#include "cmd/agent/live_gpu_keeper.h"

#include <chrono>
#include <thread>

#include "adapters/outbound/mps/mps_directory.h"
#include "adapters/outbound/watch/gpu_watchers.h"
#include "adapters/outbound/watch/process_gpu_care.h"
#include "application/agent/sharing_runner.h"
#include "base/ignore_result.h"
#include "cmd/agent/kernel_xids.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

// Leases expire in ten seconds while an agent restarts: a GPU that does not answer must not delay
// the others for long.
constexpr Duration kFirstReadingMax = Duration::Seconds(2);

std::vector<std::string> NvmlWords(const AgentConfig& config) {
  const std::string library = NvmlOf(config);
  return library.empty() ? std::vector<std::string>{} : std::vector<std::string>{"--nvml", library};
}

std::vector<std::string> Joined(std::vector<std::string> words,
                                const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

GpuWatchers::Options WatchOptions(const AgentConfig& config, const std::vector<AgentGpu>& gpus) {
  GpuWatchers::Options options;
  options.command = Joined({ExecutablePath(), "__watch-gpu"}, NvmlWords(config));
  for (const AgentGpu& gpu : gpus) options.uuids.push_back(gpu.uuid);
  return options;
}

// No job is on the GPU any more, but the MPS daemon of the last one may be: a reset fails then, and
// a test finds a foreign process. The daemon ends on its own, or is killed. Runs in the task's own
// thread.
void AwaitMpsEnd(const AgentConfig& config, const AgentGpu& gpu) {
  constexpr int kLookMs = 50;
  const std::string base = MpsBase(config.state_directory);
  for (int64_t left_ms = (kMpsQuitMax * 2).ns / 1'000'000;
       left_ms > 0 && HasMpsDirectory(base, gpu.minor); left_ms -= kLookMs) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
  }
}

ProcessGpuCare::Options CareOptions(const AgentConfig& config, const std::vector<AgentGpu>& gpus,
                                    GpuWatchers& watchers) {
  ProcessGpuCare::Options options;
  options.reset = [config, gpus](int gpu) -> std::vector<std::string> {
    const AgentGpu& place = gpus[static_cast<size_t>(gpu)];
    AwaitMpsEnd(config, place);
    if (!config.simulate.empty()) {
      const std::string control = config.state_directory + "/faults";
      return {ExecutablePath(), "__reset-simulated-gpu", control, place.uuid};
    }
    // The bus id names a slot: like a UUID it stays when the driver renumbers the GPUs.
    return {config.reset_command, "--gpu-reset", "-i", place.pci_bus_id};
  };
  options.test = [config, gpus](int gpu) {
    AwaitMpsEnd(config, gpus[static_cast<size_t>(gpu)]);
    std::vector<std::string> words = Joined({ExecutablePath(), "__test-gpu"}, NvmlWords(config));
    if (!config.gpu_test.empty()) words.insert(words.end(), {"--program", config.gpu_test});
    words.push_back(gpus[static_cast<size_t>(gpu)].uuid);
    return words;
  };
  options.lock_file = [config, gpus](int gpu) {
    return GpuLockFile(config, gpus[static_cast<size_t>(gpu)].uuid);
  };
  options.before_reset = [&watchers](int gpu) { watchers.Pause(gpu); };
  options.after_reset = [&watchers](int gpu) { return watchers.Resume(gpu); };
  return options;
}

// The driver reports XIDs too, but not always, and never the program that caused them.
std::unique_ptr<KernelLog> OpenLog(const AgentConfig& config, std::vector<std::string>& warnings) {
  const std::string path = !config.kernel_log.empty() ? config.kernel_log
                           : config.simulate.empty()  ? kKernelLogPath
                                                      : "none";
  if (path == "none") return nullptr;
  auto log = KernelLog::Open(path, config.trust_user_log);
  if (log) return *std::move(log);
  warnings.push_back("no XIDs from the kernel's log: " + log.error().message);
  return nullptr;
}

class WiredGpuKeeper : public LiveGpuKeeper {
 public:
  WiredGpuKeeper(const AgentConfig& config, const std::vector<AgentGpu>& gpus, uint64_t incarnation,
                 LeaseInInstance lease_in, Clock& clock)
      : lease_in_(std::move(lease_in)),
        log_(OpenLog(config, warnings_)),
        watchers_(WatchOptions(config, gpus), clock),
        care_(CareOptions(config, gpus, watchers_)),
        keeper_(KeeperOptions(gpus, incarnation), watchers_, care_, clock) {}
  void AwaitReadings() override { watchers_.AwaitFirst(kFirstReadingMax); }
  GpuKeeper& keeper() override { return keeper_; }
  GpuWatch& watch() override { return watchers_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }

 private:
  GpuKeeperOptions KeeperOptions(const std::vector<AgentGpu>& gpus, uint64_t incarnation) const {
    constexpr int kReportBits = 30;  // for the reports between two starts of an agent
    GpuKeeperOptions options;
    options.first_number = (incarnation << kReportBits) + 1;
    for (const AgentGpu& gpu : gpus) options.heat_limits.push_back(gpu.heat);
    options.lease_in = lease_in_;
    if (log_ == nullptr) return options;
    std::vector<std::string> bus_ids;
    for (const AgentGpu& gpu : gpus) bus_ids.push_back(gpu.pci_bus_id);
    options.take_kernel_xids = [this, bus_ids] {
      return TakeKernelXids(*log_, bus_ids, lease_in_);
    };
    options.kernel_log_fd = log_->EventDescriptor();
    return options;
  }

  LeaseInInstance lease_in_;
  std::vector<std::string> warnings_;
  std::unique_ptr<KernelLog> log_;
  GpuWatchers watchers_;
  ProcessGpuCare care_;
  GpuKeeper keeper_;
};

}  // namespace

std::string NvmlOf(const AgentConfig& config) {
  if (!config.nvml.empty() || config.simulate.empty()) return config.nvml;
  return FakeDriverPath().value_or("");
}

std::string GpuLockFile(const AgentConfig& config, const std::string& uuid) {
  const std::string directory = config.state_directory + "/gpu-locks";
  IgnoreResult(MakeDirectories(directory, 0700), "the lock reports that it cannot be opened");
  return directory + "/" + uuid;
}

std::unique_ptr<LiveGpuKeeper> MakeGpuKeeper(const AgentConfig& config,
                                             const std::vector<AgentGpu>& gpus,
                                             uint64_t incarnation, LeaseInInstance lease_in,
                                             Clock& clock) {
  return std::make_unique<WiredGpuKeeper>(config, gpus, incarnation, std::move(lease_in), clock);
}

}  // namespace gp
