#include "domain/cluster/preemption.h"

#include <algorithm>

namespace gp {
namespace {

constexpr int64_t kHourMs = 3'600'000;

}  // namespace

int ClassOf(int priority) { return std::min(priority * 3 / (kPriorityMax + 1), 2); }

int64_t AttainedGpuMs(const Job& job, Instant at) {
  if (!HoldsLeases(job.state)) return job.attained_gpu_ms;
  const int64_t gpus = int64_t{job.spec->nodes} * job.spec->gpus.count;
  return job.attained_gpu_ms + gpus * ((at - job.attempts.back().placed_at).ns / 1'000'000);
}

int ServiceLevel(const Job& job, Instant at) {
  if (!job.spec->preemptible) return 0;
  const int64_t attained = AttainedGpuMs(job, at);
  int level = 0;
  for (int64_t bound = kHourMs; level < kServiceLevelMax && attained >= bound; bound *= 10) ++level;
  return level;
}

Standing StandingOf(const Job& job, Instant at) {
  return {ClassOf(job.spec->priority), ServiceLevel(job, at), job.spec->preemptible};
}

bool Outranks(const Standing& waiting, const Standing& running) {
  if (waiting.job_class != running.job_class) return waiting.job_class > running.job_class;
  return waiting.preemptible && waiting.level < running.level;
}

bool MayGiveWay(const Job& job) {
  return job.state == JobState::kRunning && job.stop == StopCause::kNone && job.spec->preemptible;
}

bool IsInterruptible(const Job& victim, const Policy& policy, Instant at) {
  return MayGiveWay(victim) && at - victim.attempts.back().placed_at >= policy.min_run;
}

bool IsBeingPreempted(const Job& job) { return HoldsLeases(job.state) && job.preempted_for != JobId{}; }

}  // namespace gp
