#include "domain/cluster/moves.h"

#include <algorithm>
#include <iterator>

#include "domain/cluster/preemption.h"
#include "domain/cluster/quotas/quota.h"

namespace gp {

std::string WhyNotMoved(const State& state, const Job& job, Instant at) {
  const Policy& policy = state.policy;
  if (at - job.attempts.back().placed_at < policy.min_run)
    return "it has not run for min_run (" + ToText(policy.min_run) + ")";
  if (job.moved_at.ns != 0 && at - job.moved_at < policy.move_interval) {
    return "it was moved less than move_interval (" + ToText(policy.move_interval) + ") ago";
  }
  Holdings gone;
  for (const AccountId& account : AccountsOf(job)) gone[account] += -HoldingOf(state, job);
  if (const auto stop = FindQuotaStop(state, job, at, gone))
    return "its limits would not let it start again: " + ToText(*stop);
  return "";
}

int MovesLeft(const State& state, Instant at) {
  constexpr Duration kHour = Duration::Minutes(60);
  const auto first = state.jobs.moved.upper_bound({at - kHour, JobId{~uint64_t{0}}});
  const auto made = std::distance(first, state.jobs.moved.end());
  return static_cast<int>(std::max<int64_t>(0, state.policy.moves_per_hour - made));
}

bool HoldsDestination(const State& state, const Job& moving, Instant at) {
  constexpr Duration kLetIn = Duration::Minutes(1);
  if (moving.destination.empty()) return false;
  return moving.state != JobState::kQueued || AwaitsVictims(state, moving.moved_for) ||
         at - moving.queued_at <= kLetIn;
}

std::map<NodeId, JobId> NominatedToOthers(const State& state, JobId by) {
  std::map<NodeId, JobId> nominated;
  for (const auto& [other, victim] : state.jobs.preemptions) {
    const Job* job = other == by ? nullptr : state.FindJob(other);
    if (job == nullptr) continue;
    for (const NodeId node : job->nominated_nodes) nominated.emplace(node, other);
  }
  return nominated;
}

}  // namespace gp
