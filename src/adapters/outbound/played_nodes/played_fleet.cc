#include "adapters/outbound/played_nodes/played_fleet.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>

#include "base/ignore_result.h"

namespace gp {
namespace {

constexpr std::chrono::milliseconds kConnectEvery{100};
// After a pause, messages that are overdue for longer are left out.
constexpr std::chrono::seconds kOverdueMax{1};

}  // namespace

Descriptor TickEvery(std::chrono::milliseconds period) {
  Descriptor ticks(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  const timespec tick{0, std::chrono::nanoseconds(period).count()};
  const itimerspec every{tick, tick};
  timerfd_settime(ticks.get(), 0, &every, nullptr);
  return ticks;
}

void ClearTicks(const Descriptor& ticks) {
  uint64_t count = 0;
  IgnoreResult(read(ticks.get(), &count, sizeof count), "the clock says how late it is");
}

void PlayedFleet::Connect(Time now) {
  if (HaveAllJoined() || now < connect_at_) return;
  connect_at_ = now + kConnectEvery;
  for (const auto& agent : agents_) agent->Connect();
}

void PlayedFleet::Beat(Time now) {
  const auto gap = std::chrono::nanoseconds(times_.heartbeat_every.ns) / agents_.size();
  due_ = std::max(due_, now - kOverdueMax);
  for (; due_ <= now; due_ += gap, next_ = (next_ + 1) % agents_.size()) agents_[next_]->Beat();
}

}  // namespace gp
