#include "domain/model/jobs/job.h"

#include <algorithm>

namespace gp {

bool CanBecome(JobState from, JobState to) {
  using enum JobState;
  switch (from) {
    case kHeld: return to == kQueued || to == kCancelled;
    case kQueued: return to == kHeld || to == kStarting || to == kCancelled || to == kFailed;
    case kStarting:
      return to == kRunning || to == kRecovering || to == kRetryWait || to == kQueued ||
             IsTerminal(to);
    case kRunning:
      return to == kCheckpointing || to == kRecovering || to == kRetryWait || to == kQueued ||
             IsTerminal(to);
    case kCheckpointing:
      return to == kPreempted || to == kRecovering || to == kRunning || IsTerminal(to);
    case kPreempted: return to == kQueued || to == kCancelled;
    case kRecovering: return to == kQueued || to == kHeld || to == kRetryWait || IsTerminal(to);
    case kRetryWait: return to == kQueued || to == kHeld || to == kCancelled;
    case kBlocked: return to == kQueued || to == kCancelled;
    case kCompleted:
    case kFailed:
    case kCancelled:
    case kTimeout: return false;
  }
  return false;
}

bool IsTerminal(JobState state) {
  return state == JobState::kCompleted || state == JobState::kFailed ||
         state == JobState::kCancelled || state == JobState::kTimeout;
}

bool HoldsLeases(JobState state) {
  return state == JobState::kStarting || state == JobState::kRunning ||
         state == JobState::kCheckpointing || state == JobState::kRecovering;
}

bool IsRecovering(const Job& job) {
  return job.state == JobState::kRecovering ||
         (job.state == JobState::kQueued && job.recovers_until.ns != 0);
}

bool RunsAgainstLimit(const Job& job) {
  return HoldsLeases(job.state) && job.stop == StopCause::kNone &&
         job.spec->policy.time_limit.ns > 0;
}

ShownJobState Shown(JobState state) {
  switch (state) {
    case JobState::kHeld:
    case JobState::kRetryWait:
    case JobState::kBlocked: return ShownJobState::kPending;
    case JobState::kQueued: return ShownJobState::kQueued;
    case JobState::kStarting:
    case JobState::kRunning:
    case JobState::kCheckpointing: return ShownJobState::kRunning;
    case JobState::kPreempted:
    case JobState::kRecovering: return ShownJobState::kPreempted;
    case JobState::kCompleted: return ShownJobState::kCompleted;
    case JobState::kFailed:
    case JobState::kTimeout: return ShownJobState::kFailed;
    case JobState::kCancelled: return ShownJobState::kCancelled;
  }
  return ShownJobState::kPending;
}

GpuMode ModeFor(const GpuRequest& request) {
  switch (request.isolation) {
    case Isolation::kExclusive: return GpuMode::kWhole;
    case Isolation::kTimeslice: return GpuMode::kTimeslice;
    case Isolation::kMps: return GpuMode::kMps;
    case Isolation::kMig: return GpuMode::kMig;
  }
  return GpuMode::kWhole;
}

bool HasEnd(const Job& job) {
  return job.spec->policy.time_limit.ns != 0 && !job.attempts.empty() &&
         job.attempts.back().ended_at.ns == 0;
}

Instant LimitReachedAt(const Job& job) {
  return job.attempts.back().placed_at + job.spec->policy.time_limit;
}

Instant LimitNoticeAt(const Job& job) {
  constexpr Duration kMost = Duration::Minutes(10);
  return LimitReachedAt(job) - std::min(kMost, Duration{job.spec->policy.time_limit.ns / 4});
}

Instant LatestEnd(const Job& job) { return EndOfStay(job.attempts.back().placed_at, *job.spec); }

bool HasStarted(const Job& job) {
  return std::ranges::any_of(
      job.attempts, [](const AttemptRecord& attempt) { return attempt.started_at.ns != 0; });
}

bool HasFailed(const Job& job) {
  return job.state == JobState::kFailed || job.state == JobState::kTimeout;
}

std::set<NodeId> NodesWithFaults(const Job& job) {
  std::set<NodeId> nodes;
  for (const AttemptRecord& attempt : job.attempts) {
    for (const RankRecord& rank : attempt.ranks) {
      if (IsPlatformFault(rank.outcome.end) ||
          Matches(rank.outcome.clues, *job.spec, LogAction::kExcludeNode))
        nodes.insert(rank.node);
    }
  }
  return nodes;
}

bool HasMadeProgress(const Job& job, Instant at) {
  constexpr Duration kLong = Duration::Minutes(10);
  const Instant started = job.attempts.back().started_at;
  const bool saved = std::ranges::any_of(job.checkpoints, [&](const Checkpoint& one) {
    return one.attempt == job.attempt && one.is_complete;
  });
  return saved || (started.ns != 0 && at - started >= kLong);
}

Instant WorkKeptUntil(const Job& job) {
  const Instant placed = job.attempts.back().placed_at;
  const Checkpoint* newest = NewestComplete(job.checkpoints);
  return newest == nullptr ? placed : std::max(placed, newest->at);
}

const char* Name(JobState state) {
  switch (state) {
    case JobState::kHeld: return "HELD";
    case JobState::kQueued: return "QUEUED";
    case JobState::kStarting: return "STARTING";
    case JobState::kRunning: return "RUNNING";
    case JobState::kCheckpointing: return "CHECKPOINTING";
    case JobState::kPreempted: return "PREEMPTED";
    case JobState::kRecovering: return "RECOVERING";
    case JobState::kRetryWait: return "RETRY_WAIT";
    case JobState::kBlocked: return "BLOCKED";
    case JobState::kCompleted: return "COMPLETED";
    case JobState::kFailed: return "FAILED";
    case JobState::kCancelled: return "CANCELLED";
    case JobState::kTimeout: return "TIMEOUT";
  }
  return "?";
}

const char* Name(ShownJobState state) {
  switch (state) {
    case ShownJobState::kPending: return "PENDING";
    case ShownJobState::kQueued: return "QUEUED";
    case ShownJobState::kRunning: return "RUNNING";
    case ShownJobState::kPreempted: return "PREEMPTED";
    case ShownJobState::kCompleted: return "COMPLETED";
    case ShownJobState::kFailed: return "FAILED";
    case ShownJobState::kCancelled: return "CANCELLED";
  }
  return "?";
}

bool IsByMetric(StopCause cause) {
  return cause == StopCause::kMetricStop || cause == StopCause::kMetricRestart ||
         cause == StopCause::kMetricComplete;
}

const char* Name(StopCause cause) {
  switch (cause) {
    case StopCause::kNone: return "none";
    case StopCause::kCancel: return "cancelled";
    case StopCause::kTimeLimit: return "time-limit";
    case StopCause::kRankFailed: return "rank-failed";
    case StopCause::kFault: return "fault";
    case StopCause::kDrain: return "drain";
    case StopCause::kPreempt: return "preempt";
    case StopCause::kHang: return "hang";
    case StopCause::kUnderUse: return "under-use";
    case StopCause::kBudget: return "budget";
    case StopCause::kMetricStop: return "metric-stop";
    case StopCause::kMetricRestart: return "metric-restart";
    case StopCause::kMetricComplete: return "metric-complete";
  }
  return "?";
}

}  // namespace gp
