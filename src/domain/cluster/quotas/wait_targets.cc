#include "domain/cluster/quotas/wait_targets.h"

namespace gp {
namespace {

struct LongestWait {
  JobId job;       // 0: no job waits
  Instant target;  // when the job reaches the target of its queue
};

LongestWait LongestWaitOf(const State& state, const std::string& queue, Duration target) {
  const auto waits = state.jobs.first_waits.find(queue);
  if (waits == state.jobs.first_waits.end()) return {};
  const auto& [queued_at, job] = *waits->second.begin();
  return {job, queued_at + target};
}

// ns == 0: the target is not missed.
Instant MissedAt(const State& state, const std::string& queue) {
  const auto record = state.queues.waits.find(queue);
  return record == state.queues.waits.end() ? Instant{} : record->second.missed_at;
}

// Whether every job that was late when the target was missed has left the queue.
bool IsMissOver(const LongestWait& wait, Instant missed_at) {
  return wait.job.value == 0 || wait.target > missed_at;
}

}  // namespace

void CountFirstStart(State& state, Instant at, const Job& job) {
  const Duration target = state.queues.WaitTargetOf(job.queue);
  if (target.ns != 0) AddStart(state.queues.waits[job.queue], at, at - job.queued_at < target);
}

std::vector<Event> JudgeWaitTargets(const State& state, Instant at) {
  std::vector<Event> events;
  for (const auto& [queue, target] : state.queues.wait_targets) {
    const LongestWait wait = LongestWaitOf(state, queue, target);
    const Instant missed_at = MissedAt(state, queue);
    const bool was_missed = missed_at.ns != 0;
    if (was_missed && !IsMissOver(wait, missed_at)) continue;
    if (wait.job.value != 0 && wait.target <= at) {
      events.push_back(WaitTargetMissed{queue, wait.job});
    } else if (was_missed) {
      events.push_back(WaitTargetMet{queue});
    }
  }
  return events;
}

std::optional<Instant> NextWaitVerdict(const State& state) {
  std::optional<Instant> next;
  for (const auto& [queue, target] : state.queues.wait_targets) {
    const LongestWait wait = LongestWaitOf(state, queue, target);
    const Instant missed_at = MissedAt(state, queue);
    if (missed_at.ns != 0) {
      if (IsMissOver(wait, missed_at)) return Instant{1};
    } else if (wait.job.value != 0 && (!next || wait.target < *next)) {
      next = wait.target;
    }
  }
  return next;
}

int64_t CountLateJobs(const State& state, const std::string& queue, Instant at) {
  const Duration target = state.queues.WaitTargetOf(queue);
  const auto waits = state.jobs.first_waits.find(queue);
  if (target.ns == 0 || waits == state.jobs.first_waits.end()) return 0;
  int64_t late = 0;
  for (const auto& [queued_at, job] : waits->second) {
    if (queued_at + target > at) break;
    ++late;
  }
  return late;
}

}  // namespace gp
