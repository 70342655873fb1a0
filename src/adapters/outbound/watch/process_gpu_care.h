#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/time.h"
#include "lib/spawn/run_command.h"
#include "ports/outbound/gpu_care.h"

namespace gp {

// GpuCare by commands: a reset runs the host's own tool (nvidia-smi --gpu-reset), a test runs this
// project's.  Each runs in its own process, which is killed when it takes too long.  The agent's
// thread makes all calls; the callbacks in Options run on the thread of a task.
class ProcessGpuCare : public GpuCare {
 public:
  struct Options {
    std::function<std::vector<std::string>(int gpu)> reset;  // the command and its arguments
    std::function<std::vector<std::string>(int gpu)> test;
    std::function<void(int gpu)> before_reset;  // makes processes that have the GPU open close it
    std::function<bool(int gpu)> after_reset;   // false: the GPU is not being watched
    // A file that is locked while a command runs on the GPU: one that an agent left running when it
    // was killed keeps the commands of the next agent waiting.  None: no locks.
    std::function<std::string(int gpu)> lock_file;
    Duration reset_max = Duration::Seconds(120);
    Duration test_max = Duration::Seconds(60);
  };

  explicit ProcessGpuCare(Options options);
  ~ProcessGpuCare() override;

  void Begin(uint64_t number, int gpu, GpuCareKind kind) override;
  std::vector<GpuCareResult> Results() override;
  void KeepOnly(const std::vector<uint64_t>& numbers) override;
  int EventDescriptor() const override { return event_fd_; }

 private:
  struct Task {
    std::thread thread;
    bool ended = false;
    GpuCareResult result;
  };
  CommandOptions OptionsOf(int gpu, Duration time_limit) const;
  CommandEnd Reset(int gpu);
  GpuCareResult CarryOut(uint64_t number, int gpu, GpuCareKind kind);

  const Options options_;
  int event_fd_;
  int stop_fd_;  // readable: stop what runs
  std::mutex mutex_;
  std::map<uint64_t, Task> tasks_;
};

}  // namespace gp
