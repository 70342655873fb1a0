#include "application/control/heartbeats.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace gp {
namespace {

constexpr Duration kPeriodMax = Duration::Seconds(1);
constexpr int64_t kPerLease = 10;
// With very many nodes
constexpr int64_t kPerLeaseMin = 4;
constexpr int64_t kPerSecondMax = 5'000;

// Heartbeats this close to a suspension do not show that the process was awake.
constexpr Duration kAroundSleep = Duration::Milliseconds(500);

}  // namespace

Duration HeartbeatEvery(Duration lease_time, size_t nodes) {
  const Duration usual = std::min(kPeriodMax, Duration{lease_time.ns / kPerLease});
  const Duration bearable{static_cast<int64_t>(nodes) * (kPeriodMax.ns / kPerSecondMax)};
  return std::clamp(bearable, usual, Duration{lease_time.ns / kPerLeaseMin});
}

void Heartbeats::Begin(const State& state, int64_t boot_ns) {
  const std::lock_guard lock(mutex_);
  for (const Node& node : state.nodes.all)
    heard_[node.id] = {boot_ns, node.condition == NodeCondition::kLost};
}

void Heartbeats::Hear(NodeId node, int64_t boot_ns) {
  const std::lock_guard lock(mutex_);
  heard_[node].at_ns = boot_ns;
}

bool Heartbeats::Renew(NodeId node, int64_t boot_ns) {
  const std::lock_guard lock(mutex_);
  Heard& heard = heard_[node];
  if (heard.is_lost) return false;
  heard.at_ns = boot_ns;
  return true;
}

std::vector<NodeId> Heartbeats::TakeSilent(const State& state, int64_t boot_ns) {
  const std::lock_guard lock(mutex_);
  ForgiveOwnSleep(boot_ns);
  std::vector<NodeId> silent;
  if (boot_ns < no_expiry_before_ns_) return silent;
  int64_t oldest_ns = boot_ns;
  for (const Node& node : state.nodes.all) {
    Heard& heard = heard_.try_emplace(node.id, Heard{boot_ns, false}).first->second;
    if (node.condition != NodeCondition::kUp) continue;
    if (boot_ns - heard.at_ns > state.policy.lease_time.ns) {
      heard.is_lost = true;
      silent.push_back(node.id);
    } else {
      oldest_ns = std::min(oldest_ns, heard.at_ns);
    }
  }
  // Heartbeats only get newer, so no node can time out before this.
  no_expiry_before_ns_ = oldest_ns + state.policy.lease_time.ns + 1;
  return silent;
}

// One lock over all events: of a node that is lost and returns in one batch, only the end is seen.
void Heartbeats::OnCommit(const std::vector<Event>& events) {
  const std::lock_guard lock(mutex_);
  for (const Event& event : events) {
    if (const auto* lost = std::get_if<NodeLost>(&event)) heard_[lost->node].is_lost = true;
    if (const auto* back = std::get_if<NodeReturned>(&event)) heard_[back->node].is_lost = false;
    if (const auto* joined = std::get_if<NodeJoined>(&event)) heard_[joined->node].is_lost = false;
  }
}

bool Heartbeats::HasHeardBetween(int64_t from_boot_ns, int64_t to_boot_ns) const {
  const auto is_between = [&](const auto& entry) {
    return from_boot_ns < entry.second.at_ns && entry.second.at_ns < to_boot_ns;
  };
  return std::ranges::any_of(heard_, is_between);
}

// While this process was suspended it received no heartbeats; that time does not count as missed.
void Heartbeats::ForgiveOwnSleep(int64_t boot_ns) {
  slept_ = {};
  const int64_t before_ns = std::exchange(looked_at_ns_, boot_ns);
  const int64_t slept_ns = boot_ns - before_ns;
  if (before_ns == 0 || slept_ns < asleep_min_.ns) return;
  // If a heartbeat arrived in the meantime, the process was only slow.  Heartbeats just before or
  // after the gap do not count.
  if (HasHeardBetween(before_ns + kAroundSleep.ns, boot_ns - kAroundSleep.ns)) return;
  slept_.ns = slept_ns;
  for (auto& [node, heard] : heard_) heard.at_ns = std::min(boot_ns, heard.at_ns + slept_ns);
}

}  // namespace gp
