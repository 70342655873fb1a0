#include "cmd/agent/log_keeper.h"

#include <algorithm>
#include <chrono>

#include "adapters/outbound/process/old_logs.h"

namespace gp {
namespace {

constexpr Duration kPauseMax = Duration::Minutes(60);
constexpr Duration kPauseMin = Duration::Milliseconds(500);

}  // namespace

LogKeeper::LogKeeper(std::string state_directory, Duration keep, const AgentLoop& loop,
                     Clock& clock)
    : state_directory_(std::move(state_directory)), keep_(keep), loop_(loop), clock_(clock) {
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
  // Often enough that no output stays much longer than allowed.
  const Duration tenth{keep_.ns / 10};
  const std::chrono::nanoseconds pause(std::clamp(tenth, kPauseMin, kPauseMax).ns);
  OldLogs logs(state_directory_ + "/logs", state_directory_ + "/log-ages", clock_);
  std::unique_lock lock(mutex_);
  do {  // immediately too: the age of unknown output counts from this first check
    lock.unlock();
    logs.Remove(keep_, [this](JobId job) {
      const auto here = loop_.JobsHere();
      return !here || here->contains(job);  // without a desired state this is not known
    });
    lock.lock();
  } while (!ends_.wait_for(lock, pause, [this] { return is_ending_; }));
}

}  // namespace gp
