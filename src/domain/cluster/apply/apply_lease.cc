#include <algorithm>

#include "base/assert.h"
#include "domain/cluster/apply/apply_parts.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/dependencies.h"
#include "domain/cluster/quotas/grants.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/cluster/quotas/wait_targets.h"
#include "domain/cluster/reservations.h"
#include "domain/model/jobs/variants.h"
#include "domain/model/nodes/features.h"

namespace gp {
namespace {

// Charges the change of the job's holding after its leases have changed.
void ChargeDifference(State& state, Instant at, const Job& job, const Holding& before) {
  Holding change = HoldingOf(state, job);
  change += -before;
  Charge(state, at, job, change);
}

}  // namespace

Lease& LeaseOf(State& state, LeaseId id) {
  Lease* lease = state.leases.all.Find(id);
  GP_ASSERT(lease != nullptr, "an event names a live lease");
  return *lease;
}

// Agents of earlier releases lease no ports, nor wait for them; and a rank alone meets nobody.  An
// agent that is replaced while its attempt starts does not change what holds for the attempt.
static bool LeasesPorts(const State& state, const AttemptRecord& attempt) {
  return attempt.ranks.size() > 1 &&
         std::ranges::all_of(attempt.ranks, [&](const RankRecord& rank) {
           return state.FindNode(rank.node)->facts->features.contains(kPortLeasesFeature);
         });
}

void ApplyEvent(State& state, Instant at, const GangPlaced& event) {
  Job& job = JobOf(state, event.job);
  job.recovers_until = {};
  MoveJob(state, job, JobState::kStarting);
  if (HasVariants(*job.spec)) {
    job.submitted_spec = job.spec;
    job.variant = event.variant;
    job.spec = Resolve(job.spec, event.variant, static_cast<int>(event.leases.size()));
  }
  job.reason.clear();  // from its last time in the queue
  AttemptRecord attempt;
  attempt.number = ++job.attempt;
  attempt.placed_at = at;
  attempt.placement = event.note;
  for (const Lease& lease : event.leases) {
    GP_ASSERT(lease.id.value == state.leases.last + 1, "leases are numbered without gaps");
    state.leases.last = lease.id.value;
    state.leases.all.Add(lease.id, lease).metered_until = state.metering.now;
    job.leases.push_back(lease.id);
    HoldGrants(NodeOf(state, lease.node), lease, job.user.name);
    RankRecord record;
    record.lease = lease.id;
    record.node = lease.node;
    for (const GpuGrant& grant : lease.gpus) record.gpus.push_back(grant.gpu);
    for (const NumaGrant& grant : lease.numa) {
      record.cores += grant.cpus.Count();
      record.memory_mib += grant.memory_mib;
    }
    attempt.ranks.push_back(std::move(record));
  }
  attempt.leases_ports = LeasesPorts(state, attempt);
  ChargeDifference(state, at, job, {});
  if (job.attempts.empty()) CountFirstStart(state, at, job);
  job.attempts.push_back(std::move(attempt));
  state.jobs.limited += HasEnd(job) ? 1 : 0;
  job.is_limit_notified = job.is_idle_notified = false;
  if (RunsAgainstLimit(job)) state.jobs.IndexLimit(job, true);
  state.last_pass = std::max(state.last_pass, event.pass);
}

void ApplyEvent(State& state, Instant, const LeaseStarted& event) {
  Lease& lease = LeaseOf(state, event.lease);
  lease.phase = LeasePhase::kStarted;
  Job& job = JobOf(state, lease.job);
  AttemptRecord& attempt = job.attempts.back();
  if (attempt.started_at.ns == 0 || event.started_at < attempt.started_at) {
    if (!HasStarted(job)) CountStart(state, job);
    attempt.started_at = event.started_at;
    NoteProgress(state, job);
  }
}

void ApplyEvent(State& state, Instant, const LeaseUseNoted& event) {
  Lease& lease = LeaseOf(state, event.lease);
  lease.use = Added(std::move(lease.use), lease.reported, event.reported);
  lease.reported = event.reported;
  lease.idle_ms = event.idle_ms;
  // The user is notified again the next time
  if (event.idle_ms == 0) JobOf(state, lease.job).is_idle_notified = false;
}

void ApplyEvent(State& state, Instant at, const LeaseEnded& event) {
  const Lease lease = LeaseOf(state, event.lease);
  Job& job = JobOf(state, lease.job);
  const Holding before = HoldingOf(state, job);
  RankRecord& record = job.attempts.back().ranks[static_cast<size_t>(lease.rank)];
  record.outcome = event.outcome;
  record.use = lease.use;
  std::erase(job.leases, lease.id);
  ReleaseGrants(NodeOf(state, lease.node), lease);
  state.leases.all.erase(lease.id);
  IndexMaintenanceStop(state, job);
  ChargeDifference(state, at, job, before);
}

}  // namespace gp
