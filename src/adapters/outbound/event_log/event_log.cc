#include "adapters/outbound/event_log/event_log.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace gp {
namespace {

constexpr int kPatienceMs = 2'000;  // at the end

}  // namespace

EventLog::EventLog(int file, LogFormat format, Clock& clock, size_t waiting_max)
    : file_(file), format_(format), clock_(clock), waiting_max_(waiting_max), thread_([this] { Run(); }) {}

EventLog::~EventLog() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  told_.notify_one();
  thread_.join();
}

void EventLog::OnCommit(const State& state, const std::vector<Event>& events) {
  const Instant at = clock_.Now();
  bool is_news = false;
  for (const Event& event : events) {
    const auto line = LineOf(state, event);
    if (!line) continue;
    std::string text = ToText(*line, at, format_);
    const std::lock_guard lock(mutex_);
    is_news = true;
    if (waiting_.size() < waiting_max_) {
      waiting_.push_back(std::move(text));
    } else {
      ++lost_;
    }
  }
  if (is_news) told_.notify_one();
}

std::string EventLog::NextLine(std::unique_lock<std::mutex>& lock) {
  told_.wait(lock, [this] { return ends_ || !waiting_.empty() || lost_ > 0; });
  if (!waiting_.empty()) {
    std::string line = std::move(waiting_.front());
    waiting_.pop_front();
    return line;
  }
  if (lost_ == 0) return "";
  const EventLine line{LogLevel::kWarning, "log_lost_lines", {{"lines", lost_}}};
  lost_ = 0;
  return ToText(line, clock_.Now(), format_);
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

// False: the log is to end, and its reader takes no more.
bool EventLog::Write(const std::string& line) {
  for (size_t at = 0; at < line.size();) {
    pollfd ready{file_, POLLOUT, 0};
    if (poll(&ready, 1, kPatienceMs) <= 0) {
      const std::lock_guard lock(mutex_);
      if (ends_) return false;
      continue;
    }
    const ssize_t wrote = write(file_, line.data() + at, line.size() - at);
    if (wrote > 0) at += static_cast<size_t>(wrote);
    if (wrote < 0 && errno != EINTR && errno != EAGAIN) return true;  // nobody reads it: the line is gone
  }
  return true;
}

}  // namespace gp
