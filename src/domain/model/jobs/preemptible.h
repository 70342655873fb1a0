#pragma once

// What a job's own fields say about preemption and moves: its class, the GPU time that it has had,
// and whether it can be stopped for others.

#include <cstdint>

#include "domain/model/jobs/job.h"

namespace gp {

// 0 low, 1 medium, 2 high: thirds of the scale from 0 to 1000.
int ClassOf(int priority);
inline constexpr int kClasses = 3;

// GPU time held until `at`, in milliseconds times GPUs.
int64_t AttainedGpuMs(const Job& job, Instant at);

// Level of GPU time that the job has had: 0 below one GPU-hour, 1 below ten, 2 below a hundred, 3
// below a thousand, then 4.  Always 0 for jobs that are not preemptible: they do not share time.
int ServiceLevel(const Job& job, Instant at);
inline constexpr int kServiceLevelMax = 4;

// Whether the job may be preempted, now or later: it runs, is preemptible, and is not being stopped
// already.
bool IsEvictable(const Job& job);

// Whether the job is being preempted and has not ended yet, even if it got other stop orders since.
bool IsBeingPreempted(const Job& job);

// Whether the job is movable by its spec, runs, and is not being stopped already.
bool IsMovable(const Job& job);

}  // namespace gp
