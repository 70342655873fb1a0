#include "adapters/outbound/played_nodes/played_fleet.h"

#include <algorithm>

namespace gp {
namespace {

constexpr std::chrono::milliseconds kConnectEvery{100};
// After a pause, messages that are overdue for longer are left out.
constexpr std::chrono::seconds kOverdueMax{1};

}  // namespace

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
