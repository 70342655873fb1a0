#include "adapters/outbound/watch/process_gpu_care.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "adapters/outbound/watch/wake.h"
#include "base/ignore_result.h"

namespace gp {
ProcessGpuCare::ProcessGpuCare(Options options)
    : options_(std::move(options)),
      event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      stop_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

ProcessGpuCare::~ProcessGpuCare() {
  Wake(stop_fd_);
  for (auto& [number, task] : tasks_) task.thread.join();
  close(event_fd_);
  close(stop_fd_);
}

CommandOptions ProcessGpuCare::OptionsOf(int gpu, Duration time_limit) const {
  return {.time_limit = time_limit,
          .stop_fd = stop_fd_,
          .lock_file = options_.lock_file ? options_.lock_file(gpu) : ""};
}

CommandEnd ProcessGpuCare::Reset(int gpu) {
  bool is_paused = false;
  CommandOptions options = OptionsOf(gpu, options_.reset_max);
  options.before_start = [&] {
    options_.before_reset(gpu);
    is_paused = true;
  };
  CommandEnd end = RunCommand(options_.reset(gpu), options);
  const bool is_watched = !is_paused || options_.after_reset(gpu);
  if (end.ok && !is_watched)
    end = {false, "was reset, and cannot be watched: the driver does not answer"};
  return end;
}

GpuCareResult ProcessGpuCare::CarryOut(uint64_t number, int gpu, GpuCareKind kind) {
  const CommandEnd end = kind == GpuCareKind::kReset
                             ? Reset(gpu)
                             : RunCommand(options_.test(gpu), OptionsOf(gpu, options_.test_max));
  return {number, gpu, end.ok, end.output};
}

void ProcessGpuCare::Begin(uint64_t number, int gpu, GpuCareKind kind) {
  const std::lock_guard lock(mutex_);
  const auto [task, is_new] = tasks_.try_emplace(number);
  if (!is_new) return;
  task->second.thread = std::thread([this, number, gpu, kind] {
    GpuCareResult result = CarryOut(number, gpu, kind);
    const std::lock_guard done(mutex_);
    tasks_.at(number).result = std::move(result);
    tasks_.at(number).ended = true;
    Wake(event_fd_);
  });
}

std::vector<GpuCareResult> ProcessGpuCare::Results() {
  uint64_t drained = 0;
  IgnoreResult(read(event_fd_, &drained, sizeof drained), "only the wake-up matters");
  const std::lock_guard lock(mutex_);
  std::vector<GpuCareResult> results;
  for (const auto& [number, task] : tasks_) {
    if (task.ended) results.push_back(task.result);
  }
  return results;
}

void ProcessGpuCare::KeepOnly(const std::vector<uint64_t>& numbers) {
  const std::lock_guard lock(mutex_);
  for (auto task = tasks_.begin(); task != tasks_.end();) {
    const bool stays =
        !task->second.ended || std::ranges::find(numbers, task->first) != numbers.end();
    if (!stays) task->second.thread.join();
    task = stays ? std::next(task) : tasks_.erase(task);
  }
}

}  // namespace gp
