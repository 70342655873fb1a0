#pragma once

// Who may interrupt whom.  Only jobs that said `preemptible` are ever interrupted: they keep their work
// when they are told to stop.

#include <cstdint>

#include "domain/cluster/state.h"

namespace gp {

// 0 low, 1 medium, 2 high: thirds of the scale from 0 to 1000.
int ClassOf(int priority);

// GPU time held until `at`, in milliseconds times GPUs.
int64_t AttainedGpuMs(const Job& job, Instant at);

// How much GPU time the job has had: 0 below one GPU-hour, 1 below ten, 2 below a hundred, 3 below a
// thousand, then 4.  Always 0 where it is not preemptible: it takes no part in sharing time.
int ServiceLevel(const Job& job, Instant at);
inline constexpr int kServiceLevelMax = 4;

// What decides who outranks whom.
struct Standing {
  int job_class = 0;
  int level = 0;
  bool preemptible = false;
};
Standing StandingOf(const Job& job, Instant at);

// Whether a job that waits outranks a running one that may be interrupted: by a higher class, or, where both are of one class and
// preemptible, by a lower service level.
bool Outranks(const Standing& waiting, const Standing& running);

// Whether it may be interrupted, now or later: it runs, said so, and is not being stopped already.
bool MayGiveWay(const Job& job);
// Whether it may be interrupted now: it has run for `min_run` since it was placed.
bool IsInterruptible(const Job& victim, const Policy& policy, Instant at);

// Whether it was told to give way and has not ended yet, whatever else it was told since.
bool IsBeingPreempted(const Job& job);

}  // namespace gp
