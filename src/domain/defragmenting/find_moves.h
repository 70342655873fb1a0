#pragma once

// Which running jobs to move elsewhere so that a pending one starts (docs/defragmentation.md).

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/cluster/state/state.h"
#include "domain/defragmenting/rehearsal.h"
#include "domain/scheduling/backfill_reservations.h"
#include "domain/scheduling/plan.h"

namespace gp {

// GPU time: thousandths of GPUs times milliseconds.
using ShareTime = int64_t;

// Moves after which one pending job can start, with their gain and cost.
struct MovePlan {
  MoveJobs moves;
  // Of the pending job, then of each moved job, as far as they are known now.
  std::vector<PlaceGang> places;
  Duration wait_saved;
  // Computed from the time limits of running jobs; if false, the job is assumed to wait as long
  // again as it already has.
  bool is_wait_known = false;
  ShareTime gain = 0;  // the pending job's GPUs times wait_saved
  // The GPUs of the moved jobs, times their grace and the policy's move_cost.
  ShareTime cost = 0;
  bool operator==(const MovePlan&) const = default;
};

// Finds moves for pending jobs, one after another.  Each plan takes the accepted ones into account.
// Used by one thread.
class MoveFinder {
 public:
  // `classes`: of the state's nodes.  `pass`: the plan of the next pass, whose placements and
  // reservations have precedence.  All must outlive the finder.
  MoveFinder(const State& state, Instant at, NodeClasses& classes, const Plan& pass);

  // For a pending job. nullopt: no moves would start it, or more are needed than the hourly limit
  // still allows.
  std::optional<MovePlan> Find(const Job& job);
  // Later calls of Find assume that these moves are being made.
  void Accept(const MovePlan& plan);

 private:
  std::vector<Contender> CandidatesFor(const Job& job) const;
  void Repeat(Rehearsal& rehearsal) const;
  std::optional<MovePlan> FindAmong(const Job& job, std::vector<Contender>& candidates);
  std::optional<MovePlan> Rehearse(const Job& job, const std::vector<const Job*>& leaving,
                                   const std::vector<NodeId>& nodes, Rehearsal& rehearsal,
                                   const Job** stuck);
  std::map<NodeId, BackfillReservation> BackfillWithout(JobId by) const;
  void Weigh(const Job& job, MovePlan& plan);

  const State& state_;
  const Instant at_;
  NodeClasses& classes_;
  const Plan& pass_;
  BackfillReservations backfill_;
  Rankings rankings_;
  std::vector<MovePlan> accepted_;
  std::set<JobId> taken_;  // the jobs that these plans move
  Holdings planned_;       // what jobs started by these plans will hold
};

// Moves that gain more than they cost, for pending jobs in queue order.  `wanted`: only for these
// jobs; empty: for all.
std::vector<MovePlan> PlanMoves(const State& state, Instant at, const std::set<JobId>& wanted = {});

}  // namespace gp
