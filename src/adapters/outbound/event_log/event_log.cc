#include "adapters/outbound/event_log/event_log.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace gp {
namespace {

constexpr std::chrono::seconds kPatience{2};  // during shutdown
constexpr int kLookEveryMs = 100;

}  // namespace

EventLog::EventLog(int file, LogFormat format, Clock& clock, size_t waiting_max)
    : file_(file), format_(format), clock_(clock), waiting_max_(waiting_max), thread_([this] {
        Run();
      }) {}

EventLog::~EventLog() {
  {
    const std::lock_guard lock(mutex_);
    ends_at_ = std::chrono::steady_clock::now() + kPatience;
  }
  arrived_.notify_one();
  thread_.join();
}

void EventLog::OnCommit(const State& state, const CommittedRecords& committed) {
  const std::vector<EventLine> lines = LinesOf(state, committed.events);
  if (lines.empty()) return;
  const Instant at = clock_.Now();
  for (const EventLine& line : lines) {
    std::string text = ToText(line, at, format_);
    const std::lock_guard lock(mutex_);
    if (waiting_.size() >= waiting_max_) {
      ++lost_;
      continue;
    }
    if (lost_ > 0) waiting_.push_back(TakeLoss());
    waiting_.push_back(std::move(text));
  }
  arrived_.notify_one();
}

// REQUIRES: the lock is held, and lines were lost.
std::string EventLog::TakeLoss() {
  return ToText({LogLevel::kWarning, "log_lost_lines", {{"lines", std::exchange(lost_, 0)}}},
                clock_.Now(), format_);
}

std::string EventLog::NextLine(std::unique_lock<std::mutex>& lock) {
  arrived_.wait(lock, [this] { return ends_at_ || !waiting_.empty() || lost_ > 0; });
  if (waiting_.empty()) return lost_ > 0 ? TakeLoss() : "";
  std::string line = std::move(waiting_.front());
  waiting_.pop_front();
  return line;
}

bool EventLog::IsTooLate() {
  const std::lock_guard lock(mutex_);
  return ends_at_ && std::chrono::steady_clock::now() >= *ends_at_;
}

void EventLog::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    const std::string line = NextLine(lock);
    if (line.empty()) return;
    lock.unlock();
    const bool is_taken = Write(line);
    lock.lock();
    if (!is_taken) return;
  }
}

// False: the shutdown time is over, and not all was written.
bool EventLog::Write(const std::string& line) {
  for (size_t at = 0; at < line.size();) {
    if (IsTooLate()) return false;
    pollfd ready{file_, POLLOUT, 0};
    if (poll(&ready, 1, kLookEveryMs) <= 0) continue;
    const ssize_t wrote = write(file_, line.data() + at, line.size() - at);
    if (wrote > 0) at += static_cast<size_t>(wrote);
    // The log has no reader: the line is dropped
    if (wrote < 0 && errno != EINTR && errno != EAGAIN) return true;
  }
  return true;
}

}  // namespace gp
