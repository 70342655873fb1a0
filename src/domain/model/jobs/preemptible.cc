#include "domain/model/jobs/preemptible.h"

#include <algorithm>

#include "domain/model/jobs/job_spec.h"

namespace gp {

constexpr int64_t kHourMs = 3'600'000;

int ClassOf(int priority) {
  return std::min(priority * kClasses / (kPriorityMax + 1), kClasses - 1);
}

int64_t AttainedGpuMs(const Job& job, Instant at) {
  if (!HoldsLeases(job.state)) return job.attained_gpu_ms;
  const int64_t gpus = int64_t{job.spec->resources.nodes} * job.spec->resources.gpus.count;
  return job.attained_gpu_ms + gpus * ((at - job.attempts.back().placed_at).ns / 1'000'000);
}

int ServiceLevel(const Job& job, Instant at) {
  if (!job.spec->policy.preemptible) return 0;
  const int64_t attained = AttainedGpuMs(job, at);
  int level = 0;
  for (int64_t bound = kHourMs; level < kServiceLevelMax && attained >= bound; bound *= 10) ++level;
  return level;
}

bool IsEvictable(const Job& job) {
  return job.state == JobState::kRunning && job.stop == StopCause::kNone &&
         job.spec->policy.preemptible;
}

bool IsBeingPreempted(const Job& job) {
  return HoldsLeases(job.state) && job.preempted_for != JobId{};
}

bool IsMovable(const Job& job) {
  return job.state == JobState::kRunning && job.stop == StopCause::kNone &&
         job.spec->policy.movable;
}

}  // namespace gp
