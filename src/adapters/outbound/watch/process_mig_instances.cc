#include "adapters/outbound/watch/process_mig_instances.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <sstream>

#include "adapters/outbound/watch/wake.h"
#include "base/ignore_result.h"

namespace gp {
ProcessMigInstances::ProcessMigInstances(Options options)
    : options_(std::move(options)),
      event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      stop_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

ProcessMigInstances::~ProcessMigInstances() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  Wake(stop_fd_);
  changed_.notify_all();
  for (auto& [gpu, worker] : workers_) worker.thread.join();
  close(event_fd_);
  close(stop_fd_);
}

void ProcessMigInstances::Enqueue(int gpu, std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  Worker& worker = workers_[gpu];
  worker.tasks.push_back(std::move(task));
  if (!worker.thread.joinable()) worker.thread = std::thread([this, &worker] { Work(worker); });
  changed_.notify_all();
}

void ProcessMigInstances::Work(Worker& worker) {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return is_ending_ || !worker.tasks.empty(); });
    if (is_ending_) return;
    const std::function<void()> task = std::move(worker.tasks.front());
    worker.tasks.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

CommandEnd ProcessMigInstances::Run(std::vector<std::string> words, int gpu) const {
  return RunCommand(std::move(words),
                    {.time_limit = options_.time_limit,
                     .stop_fd = stop_fd_,
                     .lock_file = options_.lock_file ? options_.lock_file(gpu) : ""});
}

Result<MigDevice> ProcessMigInstances::MakeNow(const MigPart& part) {
  const CommandEnd end = Run(options_.make(part), part.gpu);
  if (!end.ok) return Fail(Unavailable("its MIG instance: " + end.output));
  MigDevice device;
  int compute_instance = 0;
  std::istringstream words(end.output);
  if (!(words >> device.uuid >> device.gpu_instance >> compute_instance)) {
    return Fail(Internal("its MIG instance: unexpected answer: " + end.output));
  }
  device.devices = GP_TRY(options_.devices(part.gpu, device.gpu_instance, compute_instance));
  return device;
}

std::optional<Result<MigDevice>> ProcessMigInstances::Make(const std::string& key,
                                                           const MigPart& part) {
  {
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = made_.try_emplace(key);
    if (!is_new) return entry->second;
  }
  Enqueue(part.gpu, [this, key, part] {
    Result<MigDevice> made = MakeNow(part);
    const std::lock_guard lock(mutex_);
    const auto entry = made_.find(key);
    if (entry != made_.end()) entry->second = std::move(made);
    Wake(event_fd_);
  });
  return std::nullopt;
}

void ProcessMigInstances::ClearEvents() {
  uint64_t drained = 0;
  IgnoreResult(read(event_fd_, &drained, sizeof drained), "only the wake-up matters");
}

void ProcessMigInstances::Remove(const std::string& key, const MigPart& part) {
  {
    const std::lock_guard lock(mutex_);
    made_.erase(key);
  }
  Enqueue(part.gpu, [this, part] {
    IgnoreResult(Run(options_.remove(part), part.gpu), "the next reading shows what it did");
  });
}

void ProcessMigInstances::KeepOnly(int gpu, const std::vector<MigPart>& parts) {
  Enqueue(gpu, [this, gpu, parts] {
    IgnoreResult(Run(options_.keep_only(gpu, parts), gpu), "the next reading shows what it did");
  });
}

}  // namespace gp
