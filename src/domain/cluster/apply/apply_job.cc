#include <algorithm>
#include <set>
#include <vector>

#include "base/assert.h"
#include "domain/cluster/apply/apply_parts.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/dependencies.h"
#include "domain/cluster/metering.h"
#include "domain/cluster/moves.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/reservations.h"

namespace gp {
namespace {

void EndAttempt(State& state, Job& job, Instant at, EndClass end) {
  if (job.attempts.empty() || job.attempts.back().ended_at.ns != 0) return;
  GP_ASSERT(job.leases.empty(), "an attempt ends when its last lease has");
  AttemptRecord& attempt = job.attempts.back();
  state.jobs.limited -= HasEnd(job) ? 1 : 0;
  attempt.ended_at = at;
  attempt.end = end;
  job.attained_gpu_ms = AttainedGpuMs(job, at);
  state.jobs.IndexLimit(job, false);
  EndUse(state, job.id, end);
}

// Restores the spec as submitted: the next attempt may get another variant or size.
void AskAgain(Job& job) {
  if (job.submitted_spec) job.spec = *job.submitted_spec;
  job.submitted_spec.reset();
}

void EndPreemption(State& state, Job& job) {
  state.jobs.preemptions.erase({job.preempted_for, job.id});
  job.preempted_for = JobId{};
}

void DropNomination(State& state, Job& job) {
  job.nominated_nodes.clear();
  state.jobs.nominated.erase(job.id);
}

// Only one job at a time is nominated to a node: earlier nominations to these nodes are dropped.
void Nominate(State& state, JobId job, const std::vector<NodeId>& nodes) {
  const std::set<JobId> earlier = state.jobs.nominated;
  for (const JobId id : earlier) {
    Job& other = JobOf(state, id);
    if (std::ranges::find_first_of(other.nominated_nodes, nodes) != other.nominated_nodes.end())
      DropNomination(state, other);
  }
  JobOf(state, job).nominated_nodes = nodes;
  state.jobs.nominated.insert(job);
}

void DropDestination(State& state, Job& job) {
  if (job.destination.empty()) return;
  job.destination.clear();
  job.moved_for = JobId{};
  state.jobs.IndexMoves(job);
}

void Stop(State& state, Job& job, StopOrder order) {
  for (const LeaseId id : job.leases) {
    Lease& lease = LeaseOf(state, id);
    if (order > lease.stop) lease.stop = order;
  }
  state.jobs.IndexLimit(job, false);
  IndexMaintenanceStop(state, job);
}

// Stops the job for `by`, which is nominated to the nodes.
void Preempt(State& state, Job& job, JobId by, const std::vector<NodeId>& nodes) {
  job.stop = StopCause::kPreempt;
  job.preempted_for = by;
  state.jobs.preemptions.insert({by, job.id});
  Nominate(state, by, nodes);
  Stop(state, job, StopOrder::kGraceful);
  MoveJob(state, job, JobState::kCheckpointing);
}

// Adds a submitted job to the state and its indexes.
void Enter(State& state, Job job) {
  if (job.state == JobState::kBlocked) {
    IndexBlocked(state, job);
  } else {
    state.jobs.Enqueue(job);
  }
  const JobId id = job.id;
  state.jobs.all.Add(id, std::move(job));
}

}  // namespace

Job& JobOf(State& state, JobId id) {
  Job* job = state.jobs.all.Find(id);
  GP_ASSERT(job != nullptr, "an event names a known job");
  return *job;
}

void MoveJob(State& state, Job& job, JobState to) {
  GP_ASSERT(CanBecome(job.state, to), "a job moves along edges of its state machine");
  if (job.state == JobState::kQueued) {
    state.jobs.Dequeue(job);
    DropNomination(state, job);
    DropDestination(state, job);
  }
  if (job.state == JobState::kRetryWait) state.jobs.retries.erase({job.eligible_at, job.id});
  if (job.state == JobState::kBlocked) UnindexBlocked(state, job);
  job.state = to;
  if (to == JobState::kQueued) state.jobs.Enqueue(job);
  if (to == JobState::kRetryWait) state.jobs.retries.insert({job.eligible_at, job.id});
  state.jobs.IndexEvictable(job, IsEvictable(job));
  state.jobs.IndexMoves(job);
}

void ApplyEvent(State& state, Instant at, const JobSubmitted& event) {
  if (!event.request_id.empty())
    state.jobs.by_request[RequestKey(event.user, event.request_id)] = event.job;
  Job job;
  job.spec = event.spec;
  job.user = event.user;
  job.queue = event.queue;
  job.pool = event.pool;
  job.request_id = event.request_id;
  job.submitted_at = at;
  job.queued_at = at;
  job.note = event.note;
  if (ProspectOf(state, *job.spec) != Prospect::kMet) {
    job.state = JobState::kBlocked;
    job.reason = TellOpen(state, *job.spec);
  }
  if (const int count = event.spec->policy.array.count; count > 0) {
    job.array = event.job;
    state.jobs.arrays[job.array] = {.count = count, .known = count};
  }
  for (const JobId id : JobsOf(event.job, *event.spec)) {
    job.id = id;
    Enter(state, job);
    state.jobs.last = id.value;
  }
}

void ApplyEvent(State& state, Instant at, const JobUnblocked& event) {
  Job& job = JobOf(state, event.job);
  job.queued_at = at;
  job.reason.clear();
  MoveJob(state, job, JobState::kQueued);
}

void ApplyEvent(State& state, Instant, const JobHeld& event) {
  MoveJob(state, JobOf(state, event.job), JobState::kHeld);
}

void ApplyEvent(State& state, Instant at, const JobReleased& event) {
  Job& job = JobOf(state, event.job);
  job.queued_at = at;
  MoveJob(state, job, JobState::kQueued);
}

void ApplyEvent(State& state, Instant, const JobStarted& event) {
  MoveJob(state, JobOf(state, event.job), JobState::kRunning);
}

void ApplyEvent(State& state, Instant, const JobStopOrdered& event) {
  Job& job = JobOf(state, event.job);
  // The first cause decides the outcome of the job; only a user's cancel overrides it.  That a rank
  // failed may follow from what another one reports of its metrics.
  const bool is_explained = job.stop == StopCause::kRankFailed && IsByMetric(event.cause);
  if (job.stop == StopCause::kNone || event.cause == StopCause::kCancel || is_explained) {
    job.stop = event.cause;
    job.reason = event.reason;
    DropDestination(state, job);
  }
  Stop(state, job, event.order);
  state.jobs.IndexEvictable(job, IsEvictable(job));
  state.jobs.IndexMoves(job);
  if (job.stop == StopCause::kFault && job.state != JobState::kRecovering) {
    MoveJob(state, job, JobState::kRecovering);
  }
}

void ApplyEvent(State& state, Instant, const JobPreemptionOrdered& event) {
  Job& job = JobOf(state, event.job);
  job.reason = "preempted for " + ToText(event.by);
  Preempt(state, job, event.by, event.nodes);
  state.last_pass = std::max(state.last_pass, event.pass);
}

void ApplyEvent(State& state, Instant at, const JobMoveOrdered& event) {
  Job& job = JobOf(state, event.job);
  job.reason = "moved for " + ToText(event.by);
  Preempt(state, job, event.by, event.nodes);
  state.jobs.moved.erase({job.moved_at, job.id});
  job.moved_at = at;
  job.destination = event.destination;
  job.moved_for = event.by;
  state.jobs.IndexMoves(job);
}

void ApplyEvent(State& state, Instant at, const JobRequeued& event) {
  Job& job = JobOf(state, event.job);
  EndPreemption(state, job);
  EndAttempt(state, job, at, event.end);
  if (event.charge == RequeueCharge::kRetry) ++job.retries_used;
  if (event.charge == RequeueCharge::kFault) {
    ++job.faults;
    job.faults_in_row = HasMadeProgress(job, at) ? 1 : job.faults_in_row + 1;
  }
  if (event.charge == RequeueCharge::kPreemption) ++job.preemptions;
  if (event.charge == RequeueCharge::kMove) ++job.moves;
  if (event.charge != RequeueCharge::kMove) DropDestination(state, job);
  job.surplus.clear();  // the next attempt may find other files there
  AskAgain(job);
  job.stop = StopCause::kNone;
  job.reason = event.reason;
  job.queued_at = at;
  job.eligible_at = event.eligible_at;
  job.recovers_until =
      event.charge == RequeueCharge::kFault ? at + state.policy.faults.recovery_hold : Instant{};
  if (job.state == JobState::kCheckpointing) MoveJob(state, job, JobState::kPreempted);
  MoveJob(state, job, event.eligible_at > at ? JobState::kRetryWait : JobState::kQueued);
}

void ApplyEvent(State& state, Instant, const JobLimitNear& event) {
  Job& job = JobOf(state, event.job);
  state.jobs.limit_notices.erase({LimitNoticeAt(job), job.id});
  job.is_limit_notified = true;
}

void ApplyEvent(State& state, Instant, const JobIdle& event) {
  JobOf(state, event.job).is_idle_notified = true;
}

// It keeps its time of submit, but not the place that a fault has left it in its old pool.
void ApplyEvent(State& state, Instant, const JobQueueChanged& event) {
  Job& job = JobOf(state, event.job);
  const bool is_queued = job.state == JobState::kQueued;
  if (is_queued) {
    state.jobs.Dequeue(job);
    DropNomination(state, job);
    DropDestination(state, job);
  }
  job.queue = event.queue;
  job.pool = event.pool;
  job.recovers_until = {};
  if (is_queued) state.jobs.Enqueue(job);
  state.jobs.IndexMoves(job);
}

void ApplyEvent(State& state, Instant, const JobTimeLimitChanged& event) {
  Job& job = JobOf(state, event.job);
  const bool is_queued = job.state == JobState::kQueued;
  if (is_queued) state.jobs.Dequeue(job);
  const bool runs = RunsAgainstLimit(job);
  if (runs) state.jobs.IndexLimit(job, false);
  const auto change = [&event](std::shared_ptr<const JobSpec>& spec) {
    JobSpec changed = *spec;
    changed.policy.time_limit = event.time_limit;
    spec = std::make_shared<const JobSpec>(std::move(changed));
  };
  change(job.spec);
  if (job.submitted_spec) change(*job.submitted_spec);
  job.is_limit_notified = false;
  if (runs) state.jobs.IndexLimit(job, true);
  if (is_queued) state.jobs.Enqueue(job);
  // Planners rely on the job's end on these nodes
  for (const LeaseId id : job.leases) NodeOf(state, LeaseOf(state, id).node);
  IndexMaintenanceStop(state, job);
}

void ApplyEvent(State& state, Instant at, const CheckpointSaved& event) {
  Job& job = JobOf(state, event.job);
  job.attempts.back().ranks[static_cast<size_t>(event.checkpoint.rank)].checkpoints_seen =
      event.checkpoint.number;
  const bool is_beginning =
      std::ranges::any_of(job.attempts.back().ranks, [&](const RankRecord& rank) {
        const Lease* lease = state.FindLease(rank.lease);
        return lease != nullptr && lease->phase == LeasePhase::kGranted;
      });
  AddCheckpoint(job.spec->recovery.checkpoint, event.checkpoint, is_beginning, job.checkpoints,
                job.surplus);
  if (const Checkpoint* newest = NewestComplete(job.checkpoints);
      newest != nullptr && *newest == event.checkpoint)
    SaveUse(state, at, job.id);
}

void ApplyEvent(State& state, Instant, const ImageResolved& event) {
  JobOf(state, event.job).image_digest = event.digest;
}

void ApplyEvent(State& state, Instant, const PortsLeased& event) {
  JobOf(state, event.job).attempts.back().first_port = event.first_port;
}

void ApplyEvent(State& state, Instant at, const JobRetried& event) {
  Job& job = JobOf(state, event.job);
  job.queued_at = at;
  MoveJob(state, job, JobState::kQueued);
}

void ApplyEvent(State& state, Instant at, const JobEnded& event) {
  Job& job = JobOf(state, event.job);
  EndPreemption(state, job);
  EndAttempt(state, job, at, event.end);
  DropDestination(state, job);
  job.surplus.clear();
  MoveJob(state, job, event.state);
  job.exit_code = event.exit_code;
  job.reason = event.reason;
  job.ended_at = at;
  state.jobs.finished.insert({at, job.id});
  CountEnd(state, job);
  NoteProgress(state, job);
}

void ApplyEvent(State& state, Instant, const JobForgotten& event) {
  const Job& job = JobOf(state, event.job);
  state.jobs.finished.erase({job.ended_at, job.id});
  state.jobs.moved.erase({job.moved_at, job.id});
  // The remaining jobs of the submission keep its request id.
  if (!job.request_id.empty() && IsLastKnown(state, job))
    state.jobs.by_request.erase(RequestKey(job.user, job.request_id));
  CountForgotten(state, job);
  ForgetUse(state, job.id);
  state.jobs.all.erase(event.job);
}

}  // namespace gp
