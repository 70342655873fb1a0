#include "adapters/outbound/watch/gpu_watchers.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/ignore_result.h"

extern char** environ;

namespace gp {
namespace {

constexpr int kLookMs = 250;

// The watcher must not inherit descriptors that it does not need.
Result<std::pair<pid_t, int>> Spawn(std::vector<std::string> words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return Fail(Internal("pipe: " + std::string(std::strerror(errno))));
  fcntl(ends[1], F_SETFL, 0);  // writes of the watcher block while the pipe is full
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  pid_t pid = 0;
  const int error = posix_spawn(&pid, words[0].c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error == 0) return std::pair{pid, ends[0]};
  close(ends[0]);
  return Fail(Internal(words[0] + ": " + std::strerror(error)));
}

// Whether the agent must be woken now, instead of at its next report.
bool IsNews(const std::optional<GpuHealth>& before, const GpuHealth& now) {
  if (!before) return true;
  const auto rows = [](const GpuHealth& health) {
    return health.row_remap ? std::pair(health.row_remap->pending, health.row_remap->failed)
                            : std::pair(false, false);
  };
  const auto has_errors = [](const GpuHealth& health) {
    return health.ecc && health.ecc->uncorrected_volatile > 0;
  };
  return before->lost != now.lost || before->recovery_action != now.recovery_action ||
         rows(*before) != rows(now) || has_errors(*before) != has_errors(now) ||
         before->nvlinks_active != now.nvlinks_active;
}

}  // namespace

GpuWatchers::GpuWatchers(Options options, Clock& clock)
    : options_(std::move(options)),
      clock_(clock),
      event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      watchers_(options_.uuids.size()) {
  for (size_t gpu = 0; gpu < watchers_.size(); ++gpu) {
    watchers_[gpu].position = static_cast<int>(gpu);
    watchers_[gpu].read_ns = clock_.BootNs();
    Begin(gpu);
  }
  thread_ = std::thread([this] { Run(); });
}

GpuWatchers::~GpuWatchers() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  heard_.notify_all();
  Wake(wake_fd_);
  thread_.join();
  for (Watcher& watcher : watchers_) End(watcher, "");
  close(event_fd_);
  close(wake_fd_);
}

void GpuWatchers::Wake(int descriptor) const {
  const uint64_t one = 1;
  IgnoreResult(write(descriptor, &one, sizeof one),
               "a descriptor that is full wakes its reader, too");
}

std::vector<GpuReading> GpuWatchers::Latest() {
  const std::lock_guard lock(mutex_);
  std::vector<GpuReading> readings;
  for (const Watcher& watcher : watchers_)
    readings.push_back({watcher.health, clock_.BootNs() - watcher.read_ns, watcher.error});
  return readings;
}

std::vector<XidSighting> GpuWatchers::TakeXids() {
  uint64_t drained = 0;
  IgnoreResult(read(event_fd_, &drained, sizeof drained), "only the wake-up matters");
  const std::lock_guard lock(mutex_);
  return std::exchange(xids_, {});
}

void GpuWatchers::AwaitFirst(Duration at_most) {
  std::unique_lock lock(mutex_);
  const auto are_all_read = [&] {
    return std::ranges::all_of(watchers_,
                               [](const Watcher& watcher) { return watcher.health.has_value(); });
  };
  heard_.wait_for(lock, std::chrono::nanoseconds(at_most.ns), are_all_read);
}

void GpuWatchers::Pause(int gpu) {
  const std::lock_guard lock(mutex_);
  Watcher& watcher = watchers_[static_cast<size_t>(gpu)];
  watcher.is_paused = true;
  End(watcher, "");
}

bool GpuWatchers::Resume(int gpu) {
  std::unique_lock lock(mutex_);
  Watcher& watcher = watchers_[static_cast<size_t>(gpu)];
  watcher.is_paused = false;
  watcher.begin_at_ns = 0;
  watcher.read_ns = clock_.BootNs();
  watcher.has_reported = false;
  Wake(wake_fd_);
  return heard_.wait_for(lock, std::chrono::nanoseconds(options_.silence_max.ns),
                         [&] { return watcher.has_reported || stopping_; });
}

void GpuWatchers::Begin(size_t gpu) {
  Watcher& watcher = watchers_[gpu];
  std::vector<std::string> words = options_.command;
  words.push_back(options_.uuids[gpu]);
  const auto begun = Spawn(std::move(words));
  watcher.heard_ns = clock_.BootNs();
  if (!begun) {
    watcher.error = begun.error().message;
    watcher.begin_at_ns = watcher.heard_ns + options_.begin_again.ns;
    return;
  }
  watcher.has_reported = false;
  watcher.pid = begun->first;
  watcher.pipe = begun->second;
}

// A process that hangs in the kernel does not even die, so its end is only polled once and not
// awaited.
void GpuWatchers::End(Watcher& watcher, const std::string& why) {
  if (watcher.pid == 0) return;
  kill(watcher.pid, SIGKILL);
  close(watcher.pipe);
  const pid_t pid = std::exchange(watcher.pid, 0);
  for (int tries = 0; tries < 50 && waitpid(pid, nullptr, WNOHANG) == 0; ++tries)
    poll(nullptr, 0, 2);
  watcher.pipe = -1;
  watcher.bytes.clear();
  watcher.begin_at_ns = clock_.BootNs() + options_.begin_again.ns;
  if (!why.empty()) watcher.error = why;
}

bool GpuWatchers::IsOfItsGpu(const Watcher& watcher, const WatchFrame& frame) const {
  return UuidOf(frame) == options_.uuids[static_cast<size_t>(watcher.position)];
}

void GpuWatchers::Take(Watcher& watcher, WatchFrame frame) {
  auto* health = std::get_if<GpuHealth>(&frame);
  if (health != nullptr) return TakeReading(watcher, std::move(*health));
  xids_.push_back(std::get<XidSighting>(std::move(frame)));
  xids_.back().gpu = watcher.position;
  Wake(event_fd_);
}

void GpuWatchers::TakeReading(Watcher& watcher, GpuHealth health) {
  if (IsNews(watcher.health, health)) Wake(event_fd_);
  watcher.health = std::move(health);
  watcher.read_ns = clock_.BootNs();
  watcher.error.clear();
  watcher.has_reported = true;
  heard_.notify_all();
}

void GpuWatchers::Receive(Watcher& watcher) {
  char buffer[16 << 10];
  ssize_t got = 0;
  while ((got = read(watcher.pipe, buffer, sizeof buffer)) > 0)
    watcher.bytes.append(buffer, static_cast<size_t>(got));
  const bool is_over = got == 0;
  watcher.heard_ns = clock_.BootNs();
  while (true) {
    auto frame = TakeFrame(watcher.bytes);
    if (!frame) return End(watcher, frame.error().message);
    if (!*frame) break;
    if (!IsOfItsGpu(watcher, **frame)) {
      return End(watcher, "its watcher reads another GPU: " + UuidOf(**frame));
    }
    Take(watcher, **std::move(frame));
  }
  if (is_over) End(watcher, "its watcher ended");
}

void GpuWatchers::LookAfter() {
  const int64_t now = clock_.BootNs();
  for (size_t gpu = 0; gpu < watchers_.size(); ++gpu) {
    Watcher& watcher = watchers_[gpu];
    if (watcher.pid != 0 && now - watcher.heard_ns > options_.silence_max.ns)
      End(watcher, "a driver call did not return");
    if (watcher.pid == 0 && !watcher.is_paused && now >= watcher.begin_at_ns) Begin(gpu);
  }
}

void GpuWatchers::Run() {
  while (true) {
    std::vector<pollfd> descriptors{{wake_fd_, POLLIN, 0}};
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      // -1: poll ignores it
      for (const Watcher& watcher : watchers_) descriptors.push_back({watcher.pipe, POLLIN, 0});
    }
    poll(descriptors.data(), descriptors.size(), kLookMs);
    uint64_t drained = 0;
    IgnoreResult(read(wake_fd_, &drained, sizeof drained), "only the wake-up matters");
    const std::lock_guard lock(mutex_);
    for (size_t gpu = 0; gpu < watchers_.size(); ++gpu) {
      const bool has_news = (descriptors[gpu + 1].revents & (POLLIN | POLLHUP)) != 0;
      if (has_news && watchers_[gpu].pipe == descriptors[gpu + 1].fd && watchers_[gpu].pid != 0)
        Receive(watchers_[gpu]);
    }
    LookAfter();
  }
}

}  // namespace gp
