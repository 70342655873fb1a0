#pragma once

// Who may interrupt whom.  Only jobs that said `preemptible` are ever interrupted: they keep their
// work when they are told to stop.

#include <cstdint>
#include <map>
#include <string>

#include "domain/cluster/state.h"

namespace gp {

// 0 low, 1 medium, 2 high: thirds of the scale from 0 to 1000.
int ClassOf(int priority);
inline constexpr int kClasses = 3;

// GPU time held until `at`, in milliseconds times GPUs.
int64_t AttainedGpuMs(const Job& job, Instant at);

// How much GPU time the job has had: 0 below one GPU-hour, 1 below ten, 2 below a hundred, 3 below
// a thousand, then 4.  Always 0 where it is not preemptible: it takes no part in sharing time.
int ServiceLevel(const Job& job, Instant at);
inline constexpr int kServiceLevelMax = 4;

// Whether it may be interrupted, now or later: it runs, said so, and is not being stopped already.
bool IsEvictable(const Job& job);

// Whether it was told to give way and has not ended yet, whatever else it was told since.
bool IsBeingPreempted(const Job& job);

// Whether others were told to leave for the job, and have not all ended yet.
bool AwaitsVictims(const State& state, JobId job);

// What decides about a job as taker or as victim, at one instant.
struct Contender {
  const Job* job = nullptr;
  int job_class = 0;
  int priority = 0;
  int level = 0;
  int gpus = 0;       // of each rank
  Instant placed_at;  // where it holds a place
};
Contender ContenderOf(const Job& job, Instant at);

// On what ground a job takes another one's place.
enum class PreemptionGround {
  kNone,
  kClass,       // it is of a higher class
  kSharedTime,  // both are preemptible, of one class and queue, and it has had less
  kReclaim,     // its queue holds less than it is guaranteed, the other's more
};

// The job as it will be on so many nodes that are cleared for it, by its own fields.
Job AsNominated(const Job& by, size_t nodes);

// Who may take from whom, by and by: what is being taken already counts as gone.
class Preemptions {
 public:
  Preemptions(const State& state, Instant at);

  // Regardless of for how long the victim has run.
  PreemptionGround GroundFor(const Contender& by, const Contender& victim) const;
  // Whether the ground holds now: the victim has run for min_run, or, for a reclaim, `by` has
  // waited for reclaim_grace.
  bool HoldsNow(const Contender& by, const Contender& victim, PreemptionGround ground) const;
  bool MayPreempt(const Contender& by, const Contender& victim) const;
  void Preempt(const Job& by, const Job& victim);
  // A job that waits is given a place.
  void CountPlaced(const Job& job);
  bool any_guarantees() const { return any_guarantees_; }

 private:
  bool HoldsLessThanGuaranteed(const Job& by, const std::string& queue) const;
  bool KeepsGuarantees(const Job& by, const Job& victim) const;
  bool Reclaims(const Job& by, const Job& victim) const;

  const State* state_;
  Instant at_;
  bool any_guarantees_ = false;
  std::map<std::string, int64_t> leaving_;  // by queue, thousandths of GPUs
  // By queue: what waits for those that leave
  std::map<std::string, std::map<JobId, int64_t>> coming_;
};

}  // namespace gp
