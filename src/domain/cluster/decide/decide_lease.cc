#include <algorithm>

#include "domain/cluster/decide/decide_parts.h"
#include "domain/cluster/nodes/faults.h"

namespace gp {
namespace {

constexpr int kExitTimedOut = 124;

struct Verdict {
  bool platform_fault = false;
  bool failed = false;
  bool all_by_themselves = true;  // every rank ended without an order to stop
  bool is_final = false;          // its log shows that it would fail again
  bool is_of_node = false;        // its log shows that the node caused the failure
  bool is_of_another = false;  // it failed with its MPS server, and no known error names the cause
  int exit_code = 0;
  EndClass end = EndClass::kNone;
  std::string reason;
};

EndClass ClassOf(const LeaseOutcome& outcome) {
  switch (outcome.end) {
    case LeaseEnd::kOutOfMemory: return EndClass::kHostMemory;
    case LeaseEnd::kCouldNotStart: return EndClass::kCouldNotStart;
    case LeaseEnd::kLeaseLost:
    case LeaseEnd::kNodeLost: return EndClass::kNodeLost;
    case LeaseEnd::kSupervisorLost:
    case LeaseEnd::kPlatformFault: return EndClass::kPlatform;
    case LeaseEnd::kExited:
    case LeaseEnd::kStopped: break;
  }
  if (outcome.clues.gpu_memory) return EndClass::kGpuMemory;
  if (outcome.clues.communication) return EndClass::kCommunication;
  return outcome.signal != 0 ? EndClass::kSignal : EndClass::kExitCode;
}

// The exit code as a shell reports it.
int ExitCodeOf(const LeaseOutcome& outcome) {
  if (outcome.end == LeaseEnd::kOutOfMemory) return 137;
  if (outcome.end == LeaseEnd::kCouldNotStart) return 127;
  if (outcome.signal != 0) return 128 + outcome.signal;
  return outcome.exit_code;
}

std::string Describe(int rank, int ranks, const LeaseOutcome& outcome) {
  std::string text = ranks > 1 ? "rank " + std::to_string(rank) + ": " : "";
  switch (outcome.end) {
    case LeaseEnd::kOutOfMemory: text += "out of host memory"; break;
    case LeaseEnd::kCouldNotStart: text += "could not start"; break;
    case LeaseEnd::kExited:
      text += outcome.signal != 0 ? "ended by signal " + std::to_string(outcome.signal)
                                  : "exit code " + std::to_string(outcome.exit_code);
      break;
    default: text += Name(outcome.end);
  }
  if (!outcome.message.empty()) text += " (" + outcome.message + ")";
  return text;
}

// Judges all outcomes of the attempt together; the last one is not recorded yet.
Verdict Judge(const Job& job, const Lease& last, const LeaseOutcome& last_outcome) {
  Verdict verdict;
  const int ranks = static_cast<int>(job.attempts.back().ranks.size());
  for (int rank = 0; rank < ranks; ++rank) {
    const LeaseOutcome& outcome =
        rank == last.rank ? last_outcome
                          : job.attempts.back().ranks[static_cast<size_t>(rank)].outcome;
    if (outcome.end == LeaseEnd::kStopped) {
      verdict.all_by_themselves = false;
      continue;  // the consequence of another rank's end, or of an order
    }
    if (IsPlatformFault(outcome.end)) {
      verdict.all_by_themselves = false;
      if (!verdict.platform_fault) {
        verdict.reason = Describe(rank, ranks, outcome);
        verdict.end = ClassOf(outcome);
      }
      verdict.platform_fault = true;
      continue;
    }
    const bool bad =
        outcome.end != LeaseEnd::kExited || outcome.exit_code != 0 || outcome.signal != 0;
    if (!bad) continue;
    verdict.is_final |= Matches(outcome.clues, *job.spec, LogAction::kStopRetries);
    verdict.is_of_node |= Matches(outcome.clues, *job.spec, LogAction::kExcludeNode);
    // Communication errors between ranks say less than the rank that failed first.
    const bool tells_more = !verdict.failed || verdict.end == EndClass::kCommunication;
    if (tells_more && !verdict.platform_fault &&
        !(verdict.failed && ClassOf(outcome) == EndClass::kCommunication)) {
      verdict.failed = true;
      verdict.exit_code = ExitCodeOf(outcome);
      verdict.end = ClassOf(outcome);
      verdict.reason = Describe(rank, ranks, outcome);
      verdict.is_of_another = IsOfAnotherClient(job, outcome);
      if (verdict.is_of_another) verdict.reason += ", with its MPS server";
    }
  }
  return verdict;
}

// Retry back-off: the wait doubles with each try, from the policy's minimum to its maximum.
Duration Backoff(const RetryPolicy& policy, int tries) {
  Duration wait = policy.backoff_min;
  for (int i = 0; i < tries && wait < policy.backoff_max; ++i) wait = wait * 2;
  return std::min(wait, policy.backoff_max);
}

// The fault that ended the attempt, if the job itself did not.
std::string FaultOf(const Job& job, const Verdict& verdict) {
  if (job.stop == StopCause::kFault && !verdict.platform_fault) return job.reason;
  if (verdict.platform_fault || job.xids.empty()) return verdict.reason;
  const XidNote& note = job.xids.back();
  return verdict.reason + ", after XID " + std::to_string(note.xid) + " of GPU " +
         std::to_string(note.gpu);
}

Event GiveUp(const Job& job, const Verdict& verdict) {
  const std::string why =
      verdict.reason.empty() ? "stopped by its node without an order" : verdict.reason;
  const std::string rule = verdict.is_final ? "; a rule of on_log ends its retries" : "";
  return JobEnded{job.id, JobState::kFailed, verdict.exit_code == 0 ? 1 : verdict.exit_code,
                  why + rule, verdict.end};
}

Event Recover(const State& state, Instant at, const Job& job, const Verdict& verdict) {
  const std::string reason = FaultOf(job, verdict);
  const EndClass end = verdict.platform_fault ? verdict.end : EndClass::kGpuError;
  // A long job on many nodes may meet any number of faults; only consecutive faults without
  // progress count against it.
  const int in_row = HasMadeProgress(job, at) ? 0 : job.faults_in_row;
  if (in_row >= state.policy.faults_max) {
    return JobEnded{
        job.id, JobState::kFailed, 125,
        "given up after " + std::to_string(in_row + 1) + " faults in a row; last: " + reason, end};
  }
  // The first fault causes no wait; a job with consecutive faults backs off.
  const Instant eligible = in_row == 0 ? at : at + Backoff(job.spec->recovery.retry, in_row - 1);
  return JobRequeued{job.id, RequeueCharge::kFault, eligible, reason, end};
}

Event TryAgain(const State& state, Instant at, const Job& job, Verdict verdict) {
  const bool hangs = job.stop == StopCause::kHang;
  const bool is_to_restart = job.stop == StopCause::kMetricRestart;
  const bool is_fault = verdict.platform_fault || job.stop == StopCause::kFault ||
                        (verdict.failed && !hangs && !is_to_restart &&
                         (IsForgiven(job, at) || verdict.is_of_another));
  if (is_fault) return Recover(state, at, job, verdict);
  if (hangs) {
    verdict.reason = job.reason;
    verdict.end = EndClass::kHang;
    verdict.exit_code = kExitTimedOut;
  } else if (is_to_restart) {
    verdict.reason = job.reason;
    verdict.end = EndClass::kMetric;
    verdict.exit_code = 1;
  }
  const RetryPolicy& retry = job.spec->recovery.retry;
  // Hang detection, or a rule that restarts or excludes bad nodes, implies a restart.
  const bool is_retried =
      hangs || is_to_restart || (verdict.failed && (retry.on_failure || verdict.is_of_node));
  if (!is_retried || job.retries_used >= retry.retries_max) return GiveUp(job, verdict);
  return JobRequeued{job.id, RequeueCharge::kRetry, at + Backoff(retry, job.retries_used),
                     verdict.reason, verdict.end};
}

// The event that follows for the job when its attempt is over.
Event Conclude(const State& state, Instant at, const Job& job, const Verdict& verdict) {
  if (!verdict.failed && !verdict.platform_fault && verdict.all_by_themselves) {
    return JobEnded{job.id, JobState::kCompleted, 0, "", EndClass::kCompleted};
  }
  switch (job.stop) {
    case StopCause::kCancel:
      return JobEnded{job.id, JobState::kCancelled, 130, job.reason, EndClass::kCancelled};
    case StopCause::kTimeLimit:
      return JobEnded{job.id, JobState::kTimeout, kExitTimedOut, job.reason, EndClass::kTimeLimit};
    case StopCause::kMetricStop:
      return JobEnded{job.id, JobState::kFailed, 1, job.reason, EndClass::kMetric};
    case StopCause::kMetricComplete:
      return JobEnded{job.id, JobState::kCompleted, 0, job.reason, EndClass::kCompleted};
    case StopCause::kDrain:
      return JobRequeued{job.id, RequeueCharge::kNobody, at, job.reason, EndClass::kDrained};
    case StopCause::kPreempt:
      if (!job.destination.empty())
        return JobRequeued{job.id, RequeueCharge::kMove, at, job.reason, EndClass::kMoved};
      return JobRequeued{job.id, RequeueCharge::kPreemption, at, job.reason, EndClass::kPreempted};
    case StopCause::kUnderUse:
      if (!KeepsWork(*job.spec))
        return JobEnded{job.id, JobState::kCancelled, 130, job.reason, EndClass::kUnderUse};
      return JobRequeued{job.id, RequeueCharge::kNobody, at,
                         job.reason + ": it goes on when it is released", EndClass::kUnderUse};
    case StopCause::kBudget:
      if (job.spec->program.interactive)
        return JobEnded{job.id, JobState::kCancelled, 130, job.reason, EndClass::kBudget};
      return JobRequeued{job.id, RequeueCharge::kNobody, at, job.reason, EndClass::kBudget};
    default: break;
  }
  return verdict.is_final && verdict.failed ? GiveUp(job, verdict)
                                            : TryAgain(state, at, job, verdict);
}

}  // namespace

void EndLease(const State& state, Instant at, const Lease& lease, const LeaseOutcome& outcome,
              Events& events, const std::optional<OrderedStop>& stop) {
  const Job& known = *state.FindJob(lease.job);
  Job stopped;
  if (stop) {
    stopped = known;
    stopped.stop = stop->cause;
    stopped.reason = stop->reason;
    if (known.leases.size() > 1)
      events.push_back(JobStopOrdered{known.id, stop->cause, StopOrder::kGraceful, stop->reason});
  }
  const Job& job = stop ? stopped : known;
  events.push_back(LeaseEnded{lease.id, job.id, outcome});
  if (job.leases.size() == 1) {
    events.push_back(Conclude(state, at, job, Judge(job, lease, outcome)));
    const auto* requeued = std::get_if<JobRequeued>(&events.back());
    // Held, because its user must look at the cause before it runs again
    if (requeued != nullptr && requeued->end == EndClass::kUnderUse)
      events.push_back(JobHeld{job.id});
    return;
  }
  const bool fault = IsPlatformFault(outcome.end);
  const bool good =
      outcome.end == LeaseEnd::kExited && outcome.exit_code == 0 && outcome.signal == 0;
  if (good || job.stop != StopCause::kNone) return;
  events.push_back(JobStopOrdered{
      job.id, fault ? StopCause::kFault : StopCause::kRankFailed, StopOrder::kGraceful,
      Describe(lease.rank, static_cast<int>(job.attempts.back().ranks.size()), outcome)});
}

}  // namespace gp
