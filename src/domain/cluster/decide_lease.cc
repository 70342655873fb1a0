#include <algorithm>

#include "domain/cluster/decide_parts.h"
#include "domain/cluster/faults.h"

namespace gp {
namespace {

struct Verdict {
  bool platform_fault = false;
  bool failed = false;
  bool all_by_themselves = true;  // every rank ended without being told to
  int exit_code = 0;
  std::string reason;
};

// As a shell would say it.
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

// All outcomes of the attempt together, the last one not yet recorded.
Verdict Judge(const Job& job, const Lease& last, const LeaseOutcome& last_outcome) {
  Verdict verdict;
  const int ranks = static_cast<int>(job.attempts.back().ranks.size());
  for (int rank = 0; rank < ranks; ++rank) {
    const LeaseOutcome& outcome =
        rank == last.rank ? last_outcome : job.attempts.back().ranks[static_cast<size_t>(rank)].outcome;
    if (outcome.end == LeaseEnd::kStopped) {
      verdict.all_by_themselves = false;
      continue;  // the consequence of another rank's end, or of an order
    }
    if (IsPlatformFault(outcome.end)) {
      verdict.all_by_themselves = false;
      if (!verdict.platform_fault) verdict.reason = Describe(rank, ranks, outcome);
      verdict.platform_fault = true;
      continue;
    }
    const bool bad = outcome.end != LeaseEnd::kExited || outcome.exit_code != 0 || outcome.signal != 0;
    if (bad && !verdict.failed && !verdict.platform_fault) {
      verdict.failed = true;
      verdict.exit_code = ExitCodeOf(outcome);
      verdict.reason = Describe(rank, ranks, outcome);
    }
  }
  return verdict;
}

Duration Backoff(const RetryPolicy& policy, int tries) {
  Duration wait = policy.backoff_min;
  for (int i = 0; i < tries && wait < policy.backoff_max; ++i) wait = wait * 2;
  return std::min(wait, policy.backoff_max);
}

// What took the attempt, where it was not the job itself.
std::string FaultOf(const Job& job, const Verdict& verdict) {
  if (job.stop == StopCause::kFault && !verdict.platform_fault) return job.reason;
  if (verdict.platform_fault || job.xids.empty()) return verdict.reason;
  const XidNote& note = job.xids.back();
  return verdict.reason + ", after XID " + std::to_string(note.xid) + " of GPU " + std::to_string(note.gpu);
}

// The attempt is over: what becomes of the job.
Event Conclude(const State& state, Instant at, const Job& job, const Verdict& verdict) {
  if (!verdict.failed && !verdict.platform_fault && verdict.all_by_themselves) {
    return JobEnded{job.id, JobState::kCompleted, 0, ""};
  }
  switch (job.stop) {
    case StopCause::kCancel: return JobEnded{job.id, JobState::kCancelled, 130, job.reason};
    case StopCause::kTimeLimit: return JobEnded{job.id, JobState::kTimeout, 124, job.reason};
    case StopCause::kDrain:
      return JobRequeued{job.id, RequeueCharge::kNobody, at, job.reason};
    case StopCause::kPreempt:
      return JobRequeued{job.id, job.destination.empty() ? RequeueCharge::kPreemption : RequeueCharge::kMove, at, job.reason};
    default: break;
  }
  const bool is_fault = verdict.platform_fault || job.stop == StopCause::kFault || (verdict.failed && IsForgiven(job, at));
  if (is_fault) {
    const std::string reason = FaultOf(job, verdict);
    if (job.faults >= state.policy.faults_max) {
      return JobEnded{job.id, JobState::kFailed, 125,
                      "given up after " + std::to_string(job.faults + 1) + " faults; last: " + reason};
    }
    // The first fault costs no wait; a job that meets one after the other backs off.
    const Instant eligible = job.faults == 0 ? at : at + Backoff(job.spec->retry, job.faults - 1);
    return JobRequeued{job.id, RequeueCharge::kFault, eligible, reason};
  }
  const RetryPolicy& retry = job.spec->retry;
  if (verdict.failed && retry.on_failure && job.retries_used < retry.retries_max) {
    return JobRequeued{job.id, RequeueCharge::kRetry, at + Backoff(retry, job.retries_used),
                       verdict.reason};
  }
  return JobEnded{job.id, JobState::kFailed, verdict.exit_code == 0 ? 1 : verdict.exit_code,
                  verdict.reason.empty() ? "stopped by its node without an order" : verdict.reason};
}

}  // namespace

void EndLease(const State& state, Instant at, const Lease& lease, const LeaseOutcome& outcome,
              Events& events) {
  const Job& job = *state.FindJob(lease.job);
  events.push_back(LeaseEnded{lease.id, job.id, outcome});
  if (job.leases.size() == 1) {
    events.push_back(Conclude(state, at, job, Judge(job, lease, outcome)));
    return;
  }
  const bool fault = IsPlatformFault(outcome.end);
  const bool good = outcome.end == LeaseEnd::kExited && outcome.exit_code == 0 && outcome.signal == 0;
  if (good || job.stop != StopCause::kNone) return;
  events.push_back(JobStopOrdered{job.id, fault ? StopCause::kFault : StopCause::kRankFailed,
                                  StopOrder::kGraceful,
                                  Describe(lease.rank, static_cast<int>(job.attempts.back().ranks.size()), outcome)});
}

}  // namespace gp
