#pragma once

// Which job may preempt which.  Only `preemptible` jobs are victims: they save their work when they
// are stopped.

#include <cstdint>
#include <map>
#include <string>

#include "domain/cluster/state/state.h"
#include "domain/model/jobs/preemptible.h"

namespace gp {

// Whether the job has victims that have not all ended yet.
bool AwaitsVictims(const State& state, JobId job);

// The properties of a job as preemptor or victim, at one instant.
struct Contender {
  const Job* job = nullptr;
  int job_class = 0;
  int priority = 0;
  int level = 0;
  int gpus = 0;       // of each rank
  Instant placed_at;  // if it is placed
};
Contender ContenderOf(const Job& job, Instant at);

// The ground on which a job preempts another.
enum class PreemptionGround {
  kNone,
  kClass,       // the preemptor is of a higher class
  kSharedTime,  // both are preemptible, of one class and queue; the preemptor had less GPU time
  kReclaim,     // the preemptor's queue is below its guarantee, the victim's above
};

// The job as it will be on its `nodes` nominated nodes, by its own fields.
Job AsNominated(const Job& by, size_t nodes);

// Decides which jobs may preempt which at one instant.  Victims that were chosen earlier count as
// gone, and jobs that were placed or wait for victims count as running.  Used by one thread;
// `state` must outlive it.
class Preemptions {
 public:
  Preemptions(const State& state, Instant at);

  // Ignores how long the victim has run.
  PreemptionGround GroundFor(const Contender& by, const Contender& victim) const;
  // Whether the ground holds now: the victim has run for min_run, or, for a reclaim, `by` has
  // waited for reclaim_grace.
  bool HoldsNow(const Contender& by, const Contender& victim, PreemptionGround ground) const;
  bool MayPreempt(const Contender& by, const Contender& victim) const;
  // Counts that the victim is preempted for `by`.
  void Preempt(const Job& by, const Job& victim);
  // Counts that a pending job was placed.
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
  // By queue: what pending jobs will hold that were placed or wait for their victims
  std::map<std::string, std::map<JobId, int64_t>> coming_;
};

}  // namespace gp
