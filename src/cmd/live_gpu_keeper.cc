#include "cmd/live_gpu_keeper.h"

#include "adapters/outbound/watch/gpu_watchers.h"
#include "adapters/outbound/watch/process_gpu_care.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

// The library that the agent itself has loaded.
std::vector<std::string> NvmlWords(const AgentConfig& config) {
  std::string library = config.nvml;
  if (library.empty() && !config.simulate.empty()) library = FakeDriverPath().value_or("");
  return library.empty() ? std::vector<std::string>{} : std::vector<std::string>{"--nvml", library};
}

std::vector<std::string> Words(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

GpuWatchers::Options WatchOptions(const AgentConfig& config, const std::vector<GpuPlace>& gpus) {
  GpuWatchers::Options options;
  options.command = Words({ExecutablePath(), "__watch-gpu"}, NvmlWords(config));
  for (const GpuPlace& gpu : gpus) options.indexes.push_back(gpu.index);
  return options;
}

ProcessGpuCare::Options CareOptions(const AgentConfig& config, const std::vector<GpuPlace>& gpus, GpuWatchers& watchers) {
  ProcessGpuCare::Options options;
  options.reset = [config, gpus](int gpu) -> std::vector<std::string> {
    const GpuPlace& place = gpus[static_cast<size_t>(gpu)];
    if (!config.simulate.empty()) return {ExecutablePath(), "__reset-simulated-gpu", config.state_directory + "/faults", std::to_string(place.index)};
    return {config.reset_command, "--gpu-reset", "-i", place.pci_bus_id};
  };
  options.test = [config, gpus](int gpu) {
    std::vector<std::string> words = Words({ExecutablePath(), "__test-gpu"}, NvmlWords(config));
    if (!config.gpu_test.empty()) words.insert(words.end(), {"--program", config.gpu_test});
    words.push_back(std::to_string(gpus[static_cast<size_t>(gpu)].index));
    return words;
  };
  options.before_reset = [&watchers](int gpu) { watchers.Pause(gpu); };
  options.after_reset = [&watchers](int gpu) { watchers.Resume(gpu); };
  return options;
}

class WiredGpuKeeper : public LiveGpuKeeper {
 public:
  WiredGpuKeeper(const AgentConfig& config, const std::vector<GpuPlace>& gpus, Clock& clock)
      : watchers_(WatchOptions(config, gpus), clock), care_(CareOptions(config, gpus, watchers_)), keeper_(GpuKeeperOptions{}, watchers_, care_, clock) {}
  GpuKeeper& keeper() override { return keeper_; }

 private:
  GpuWatchers watchers_;
  ProcessGpuCare care_;
  GpuKeeper keeper_;
};

}  // namespace

std::unique_ptr<LiveGpuKeeper> MakeGpuKeeper(const AgentConfig& config, const std::vector<GpuPlace>& gpus, Clock& clock) {
  return std::make_unique<WiredGpuKeeper>(config, gpus, clock);
}

}  // namespace gp
