#include "cmd/jobs/end_in_time.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace gp {
namespace {

// For a controller that answers at the very end.
constexpr std::chrono::milliseconds kGrace{250};

}  // namespace

EndInTime::EndInTime(std::optional<Duration> time, const Cli& cli) : time_(time), cli_(cli) {
  if (time_) thread_ = std::thread([this] { Run(); });
}

EndInTime::~EndInTime() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void EndInTime::WaitsFor(const std::string& job) {
  const std::lock_guard lock(mutex_);
  job_ = job;
}

std::optional<Duration> EndInTime::Left() const {
  if (!time_) return std::nullopt;
  const std::chrono::nanoseconds spent = std::chrono::steady_clock::now() - begun_;
  return Duration{std::max<int64_t>(0, time_->ns - spent.count())};
}

void EndInTime::Run() {
  std::unique_lock lock(mutex_);
  const auto end = begun_ + std::chrono::nanoseconds(time_->ns) + kGrace;
  if (changed_.wait_until(lock, end, [this] { return is_over_; })) return;
  cli_.Say(job_ + ": no controller has said within the --timeout that it has ended");
  std::fflush(stdout);
  _exit(kExitTimeout);
}

}  // namespace gp
