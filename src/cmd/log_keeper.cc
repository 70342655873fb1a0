#include "cmd/log_keeper.h"

#include <algorithm>
#include <chrono>

#include "adapters/outbound/process/old_logs.h"

namespace gp {
namespace {

constexpr Duration kPauseMax = Duration::Minutes(60);
constexpr Duration kPauseMin = Duration::Milliseconds(500);

}  // namespace

LogKeeper::LogKeeper(std::string directory, Duration keep, const AgentLoop& loop, Clock& clock)
    : directory_(std::move(directory)), keep_(keep), loop_(loop), clock_(clock) {
  if (keep_.ns > 0) thread_ = std::thread([this] { Run(); });
}

LogKeeper::~LogKeeper() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  ends_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void LogKeeper::Run() {
  // Often enough that nothing stays for much longer than it may.
  const std::chrono::nanoseconds pause(std::clamp(Duration{keep_.ns / 10}, kPauseMin, kPauseMax).ns);
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, pause, [this] { return is_ending_; })) {
    lock.unlock();
    RemoveOldLogs(directory_, clock_.Now() - keep_, [this](JobId job) {
      const auto here = loop_.JobsHere();
      return !here || here->contains(job);  // without orders nobody knows who is
    });
    lock.lock();
  }
}

}  // namespace gp
