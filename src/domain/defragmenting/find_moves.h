#pragma once

// Which running jobs to move elsewhere so that one that waits starts (docs/defragmentation.md).

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/quota.h"
#include "domain/cluster/state.h"
#include "domain/defragmenting/rehearsal.h"
#include "domain/scheduling/backfill_reservations.h"
#include "domain/scheduling/plan.h"

namespace gp {

// GPU time: thousandths of GPUs times milliseconds.
using ShareTime = int64_t;

// Moves after which one job that waits can start, and what they are worth.
struct MovePlan {
  MoveJobs moves;
  // Of who waits, then of each that is moved, as far as can be told now
  std::vector<PlaceGang> places;
  Duration wait_saved;
  // By the time limits of who runs; else it is taken to wait as long again
  bool is_wait_known = false;
  ShareTime gain = 0;  // the GPUs of who waits, for as long as it waits less
  // The GPUs of those who are moved, for their grace and the policy's move_cost
  ShareTime cost = 0;
  bool operator==(const MovePlan&) const = default;
};

class MoveFinder {
 public:
  // `classes`: of the state's nodes.  `pass`: the next one, which places and keeps before.  All
  // outlive it.
  MoveFinder(const State& state, Instant at, NodeClasses& classes, const Plan& pass);

  // For a job that waits.  nullopt: no moves would start it, or not as many as may still be made in
  // this hour.
  std::optional<MovePlan> Find(const Job& job);
  // From now on, as if these moves were being made.
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
  std::set<JobId> taken_;  // moved by those
  Holdings planned_;       // by those who start then
};

// For the jobs that wait, in their turn: moves that gain more than they cost.  `wanted`: for these
// only; empty: for all.
std::vector<MovePlan> PlanMoves(const State& state, Instant at, const std::set<JobId>& wanted = {});

}  // namespace gp
