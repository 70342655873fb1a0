#pragma once

// GpuCare by commands: a reset is the host's own tool (nvidia-smi --gpu-reset), a test is ours.
// Each runs in a process of its own, which is killed when it takes too long.

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/time.h"
#include "ports/outbound/gpu_care.h"

namespace gp {

class ProcessGpuCare : public GpuCare {
 public:
  struct Options {
    std::function<std::vector<std::string>(int gpu)> reset;  // words of the command
    std::function<std::vector<std::string>(int gpu)> test;
    std::function<void(int gpu)> before_reset;  // whoever holds the GPU open lets go of it
    std::function<bool(int gpu)> after_reset;   // false: nobody sees what it does
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
  GpuCareResult Carry(uint64_t number, int gpu, GpuCareKind kind);

  const Options options_;
  int event_fd_;
  int stop_fd_;  // readable: end what runs
  std::mutex mutex_;
  std::map<uint64_t, Task> tasks_;
};

}  // namespace gp
