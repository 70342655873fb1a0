#include <algorithm>

#include "base/assert.h"
#include "domain/cluster/apply_parts.h"
#include "domain/cluster/grants.h"

namespace gp {
namespace {

int64_t ShareOf(const Lease& lease) {
  int64_t share = 0;
  for (const GpuGrant& grant : lease.gpus) share += grant.share;
  return share;
}

void Take(State& state, const User& user, const Lease& lease) {
  HoldGrants(NodeOf(state, lease.node), lease, user.name);
  if (const int64_t share = ShareOf(lease); share > 0) state.share_by_user[user.name] += share;
}

void GiveBack(State& state, const User& user, const Lease& lease) {
  ReleaseGrants(NodeOf(state, lease.node), lease);
  if (const int64_t share = ShareOf(lease); share > 0) {
    const auto held = state.share_by_user.find(user.name);
    held->second -= share;
    if (held->second == 0) state.share_by_user.erase(held);
  }
}

}  // namespace

Lease& LeaseOf(State& state, LeaseId id) {
  const auto it = state.leases.find(id);
  GP_ASSERT(it != state.leases.end(), "an event names a live lease");
  return it->second;
}

void ApplyEvent(State& state, Instant at, const GangPlaced& event) {
  Job& job = JobOf(state, event.job);
  MoveJob(state, job, JobState::kStarting);
  job.reason.clear();  // of its last stay in the queue
  AttemptRecord attempt;
  attempt.number = ++job.attempt;
  attempt.placed_at = at;
  attempt.placement = event.note;
  for (const Lease& lease : event.leases) {
    GP_ASSERT(lease.id.value == state.last_lease + 1, "leases are numbered without gaps");
    state.last_lease = lease.id.value;
    state.leases[lease.id] = lease;
    job.leases.push_back(lease.id);
    Take(state, job.user, lease);
    RankRecord record{lease.id, lease.node, {}, {}};
    for (const GpuGrant& grant : lease.gpus) record.gpus.push_back(grant.gpu);
    attempt.ranks.push_back(std::move(record));
  }
  job.attempts.push_back(std::move(attempt));
  if (RunsAgainstLimit(job)) state.limits.insert({at + job.spec->time_limit, job.id});
  state.last_pass = std::max(state.last_pass, event.pass);
}

void ApplyEvent(State& state, Instant, const LeaseStarted& event) {
  Lease& lease = LeaseOf(state, event.lease);
  lease.phase = LeasePhase::kStarted;
  AttemptRecord& attempt = JobOf(state, lease.job).attempts.back();
  if (attempt.started_at.ns == 0 || event.started_at < attempt.started_at) {
    attempt.started_at = event.started_at;
  }
}

void ApplyEvent(State& state, Instant, const LeaseEnded& event) {
  const Lease lease = LeaseOf(state, event.lease);
  Job& job = JobOf(state, lease.job);
  job.attempts.back().ranks[static_cast<size_t>(lease.rank)].outcome = event.outcome;
  std::erase(job.leases, lease.id);
  GiveBack(state, job.user, lease);
  state.leases.erase(lease.id);
}

}  // namespace gp
