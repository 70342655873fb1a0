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

}  // namespace

Duration HeartbeatEvery(Duration lease_time, size_t nodes) {
  const Duration usual = std::min(kPeriodMax, Duration{lease_time.ns / kPerLease});
  const Duration bearable{static_cast<int64_t>(nodes) * (kPeriodMax.ns / kPerSecondMax)};
  return std::clamp(bearable, usual, Duration{lease_time.ns / kPerLeaseMin});
}

void Heartbeats::Begin(const State& state, int64_t boot_ns) {
  const std::lock_guard lock(mutex_);
  listened_ns_ = boot_ns;
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

void Heartbeats::Listened(int64_t boot_ns) {
  const std::lock_guard lock(mutex_);
  const Duration gap{boot_ns - std::exchange(listened_ns_, boot_ns)};
  if (gap < deaf_min_) return;
  forgiven_ = forgiven_ + gap;
  for (auto& [node, heard] : heard_) heard.at_ns = std::min(boot_ns, heard.at_ns + gap.ns);
}

Duration Heartbeats::DeafFor(int64_t boot_ns) const {
  const std::lock_guard lock(mutex_);
  const Duration gap{boot_ns - listened_ns_};
  return gap < deaf_min_ ? Duration{} : gap;
}

Duration Heartbeats::TakeForgiven() {
  const std::lock_guard lock(mutex_);
  return std::exchange(forgiven_, Duration{});
}

// Since all was heard for the last time, messages may have come that wait unread.
std::vector<NodeId> Heartbeats::TakeSilent(const State& state, int64_t boot_ns) {
  const std::lock_guard lock(mutex_);
  std::vector<NodeId> silent;
  const int64_t until_ns = std::min(boot_ns, listened_ns_);
  if (until_ns < no_expiry_before_ns_) return silent;
  int64_t oldest_ns = boot_ns;
  for (const Node& node : state.nodes.all) {
    Heard& heard = heard_.try_emplace(node.id, Heard{boot_ns, false}).first->second;
    if (node.condition != NodeCondition::kUp) continue;
    if (until_ns - heard.at_ns > state.policy.lease_time.ns) {
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

}  // namespace gp
