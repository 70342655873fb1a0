#include "base/assert.h"
#include "base/digest.h"
#include "domain/cluster/apply/assert_parts.h"
#include "domain/cluster/preemption.h"
#include "domain/model/jobs/ports.h"

namespace gp {
namespace {

void CheckPlaced(const State& state, JobId job) {
  GP_ASSERT(HoldsLeases(JobIn(state, job).state),
            "only a placed job is stopped, notified or requeued");
}

void CheckVictim(const State& state, JobId victim, JobId by) {
  GP_ASSERT(IsBeingPreempted(JobIn(state, victim)), "a victim is being preempted");
  GP_ASSERT(state.jobs.preemptions.contains({by, victim}), "a preemptor waits for its victims");
}

}  // namespace

void CheckBefore(const State& state, const JobSubmitted& event) {
  GP_ASSERT(event.spec != nullptr, "a job has a spec");
  GP_ASSERT(event.job.value == state.jobs.last + 1, "jobs are numbered without gaps");
}
void CheckAfter(const State& state, const JobSubmitted& event) {
  GP_ASSERT(state.jobs.last >= event.job.value, "a job's id is never given twice");
  GP_ASSERT(state.FindJob(JobId{state.jobs.last}) != nullptr, "the newest job is known");
}

void CheckBefore(const State& state, const JobUnblocked& event) {
  CheckJobState(state, event.job, JobState::kBlocked);
}
void CheckAfter(const State& state, const JobUnblocked& event) {
  CheckJobState(state, event.job, JobState::kQueued);
}

void CheckBefore(const State& state, const JobHeld& event) {
  GP_ASSERT(JobIn(state, event.job).leases.empty(), "a job with leases cannot be held");
}
void CheckAfter(const State& state, const JobHeld& event) {
  CheckJobState(state, event.job, JobState::kHeld);
}

void CheckBefore(const State& state, const JobReleased& event) {
  CheckJobState(state, event.job, JobState::kHeld);
}
void CheckAfter(const State& state, const JobReleased& event) {
  CheckJobState(state, event.job, JobState::kQueued);
}

void CheckBefore(const State& state, const JobRetried& event) {
  CheckJobState(state, event.job, JobState::kRetryWait);
}
void CheckAfter(const State& state, const JobRetried& event) {
  CheckJobState(state, event.job, JobState::kQueued);
}

void CheckBefore(const State& state, const JobStarted& event) {
  CheckJobState(state, event.job, JobState::kStarting);
}
void CheckAfter(const State& state, const JobStarted& event) {
  CheckJobState(state, event.job, JobState::kRunning);
}

void CheckBefore(const State& state, const JobStopOrdered& event) { CheckPlaced(state, event.job); }
void CheckAfter(const State& state, const JobStopOrdered& event) {
  GP_ASSERT(JobIn(state, event.job).stop != StopCause::kNone, "a job is stopped for a cause");
}

void CheckBefore(const State& state, const JobPreemptionOrdered& event) {
  GP_ASSERT(IsEvictable(JobIn(state, event.job)), "only an evictable job is preempted");
  GP_ASSERT(JobIn(state, event.by).state == JobState::kQueued, "a preemptor is a queued job");
}
void CheckAfter(const State& state, const JobPreemptionOrdered& event) {
  CheckVictim(state, event.job, event.by);
}

void CheckBefore(const State& state, const JobMoveOrdered& event) {
  GP_ASSERT(!event.destination.empty(), "a job that moves has a destination");
  CheckPlaced(state, event.job);
}
void CheckAfter(const State& state, const JobMoveOrdered& event) {
  CheckVictim(state, event.job, event.by);
  GP_ASSERT(JobIn(state, event.job).moved_for == event.by, "a job moves for its preemptor");
}

void CheckBefore(const State& state, const JobRequeued& event) {
  CheckPlaced(state, event.job);
  GP_ASSERT(JobIn(state, event.job).leases.empty(),
            "an attempt ends when its last lease has ended");
}
void CheckAfter(const State& state, const JobRequeued& event) {
  const Job& job = JobIn(state, event.job);
  GP_ASSERT(job.state == JobState::kQueued || job.state == JobState::kRetryWait,
            "a requeued job waits");
  GP_ASSERT(job.stop == StopCause::kNone && job.preempted_for == JobId{},
            "a requeued job is no victim any more");
}

void CheckBefore(const State& state, const JobEnded& event) {
  const Job& job = JobIn(state, event.job);
  GP_ASSERT(!IsTerminal(job.state) && IsTerminal(event.state), "a job ends once");
  GP_ASSERT(job.leases.empty(), "a job ends when its last lease has ended");
}
void CheckAfter(const State& state, const JobEnded& event) {
  const Job& job = JobIn(state, event.job);
  GP_ASSERT(job.state == event.state, "a job ends in the state of the event");
  GP_ASSERT(state.jobs.finished.contains({job.ended_at, job.id}), "a finished job is retained");
}

void CheckBefore(const State& state, const JobForgotten& event) {
  GP_ASSERT(IsTerminal(JobIn(state, event.job).state), "only a finished job is forgotten");
}
void CheckAfter(const State& state, const JobForgotten& event) {
  GP_ASSERT(state.FindJob(event.job) == nullptr, "a forgotten job is unknown");
}

void CheckBefore(const State& state, const CheckpointSaved& event) {
  const Job& job = JobIn(state, event.job);
  GP_ASSERT(!job.attempts.empty(), "only an attempt saves checkpoints");
  const auto ranks = static_cast<int64_t>(job.attempts.back().ranks.size());
  GP_ASSERT(event.checkpoint.rank >= 0 && event.checkpoint.rank < ranks,
            "a checkpoint is of a rank of its attempt");
}
void CheckAfter(const State& state, const CheckpointSaved& event) {
  const auto rank = static_cast<size_t>(event.checkpoint.rank);
  GP_ASSERT(JobIn(state, event.job).attempts.back().ranks[rank].checkpoints_seen ==
                event.checkpoint.number,
            "a checkpoint is counted once");
}

void CheckBefore(const State& state, const ImageResolved& event) {
  const Job& job = JobIn(state, event.job);
  GP_ASSERT(IsSha256Name(event.digest), "an image is named by its digest");
  GP_ASSERT(job.image_digest.empty(), "the image of a job is fixed once");
}
void CheckAfter(const State& state, const ImageResolved& event) {
  GP_ASSERT(JobIn(state, event.job).image_digest == event.digest,
            "a job has the image of the event");
}

void CheckBefore(const State& state, const PortsLeased& event) {
  const Job& job = JobIn(state, event.job);
  GP_ASSERT(IsFirstPort(event.first_port), "ports are leased in blocks");
  GP_ASSERT(!job.attempts.empty() && job.attempts.back().first_port == 0,
            "an attempt has its ports once");
}
void CheckAfter(const State& state, const PortsLeased& event) {
  GP_ASSERT(JobIn(state, event.job).attempts.back().first_port == event.first_port,
            "an attempt has the ports of the event");
}

void CheckBefore(const State& state, const JobPriorityChanged& event) {
  GP_ASSERT(!IsTerminal(JobIn(state, event.job).state), "a finished job keeps its priority");
  GP_ASSERT(event.priority >= kPriorityMin && event.priority <= kPriorityMax,
            "a priority is on the scale");
}
void CheckAfter(const State& state, const JobPriorityChanged& event) {
  GP_ASSERT(JobIn(state, event.job).spec->policy.priority == event.priority,
            "a job has the priority of the event");
}

void CheckBefore(const State& state, const JobQueueChanged& event) {
  const Job& job = JobIn(state, event.job);
  GP_ASSERT(!IsTerminal(job.state), "a finished job keeps its queue");
  GP_ASSERT(!HoldsLeases(job.state), "what a job holds counts for its queue");
}
void CheckAfter(const State& state, const JobQueueChanged& event) {
  const Job& job = JobIn(state, event.job);
  GP_ASSERT(job.queue == event.queue, "a job has the queue of the event");
  GP_ASSERT(job.pool == state.queues.all.at(job.queue).pool, "a job is in the pool of its queue");
}

void CheckBefore(const State& state, const JobTimeLimitChanged& event) {
  GP_ASSERT(!IsTerminal(JobIn(state, event.job).state), "a finished job keeps its time limit");
  GP_ASSERT(event.time_limit.ns >= 0, "a time limit is no negative time");
}
void CheckAfter(const State& state, const JobTimeLimitChanged& event) {
  GP_ASSERT(JobIn(state, event.job).spec->policy.time_limit == event.time_limit,
            "a job has the time limit of the event");
}

void CheckBefore(const State& state, const JobLimitNear& event) { CheckPlaced(state, event.job); }
void CheckAfter(const State& state, const JobLimitNear& event) {
  GP_ASSERT(JobIn(state, event.job).is_limit_notified, "a time limit is announced once");
}

void CheckBefore(const State& state, const JobIdle& event) { CheckPlaced(state, event.job); }
void CheckAfter(const State& state, const JobIdle& event) {
  GP_ASSERT(JobIn(state, event.job).is_idle_notified, "idle GPUs are announced once");
}

}  // namespace gp
