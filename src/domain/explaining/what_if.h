#pragma once

// Whether a job would start now if it, or what is held, were otherwise.  Valid for one settled
// state.

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "domain/cluster/state.h"
#include "domain/defragmenting/rehearsal.h"
#include "domain/scheduling/find_victims.h"
#include "domain/scheduling/node_classes.h"
#include "domain/scheduling/planner.h"
#include "domain/scheduling/rankings.h"

namespace gp {

class WhatIf {
 public:
  WhatIf(const State& state, Instant at);

  // What the next pass would do.
  const Plan& plan() const { return plan_; }
  // Of the nodes, with what is held for those who are being moved.
  const NodeClasses& classes() const { return planner_.classes(); }
  const State& state() const { return state_; }
  Instant at() const { return at_; }

  // Where the job would be placed; nullopt: it would have to wait.
  std::optional<PlaceGang> Place(const Job& job);
  // Whom it would interrupt to be placed; nullopt: that does not help either.
  std::optional<std::vector<JobId>> Interrupt(const Job& job);
  // Who could be moved elsewhere so that it can be placed, whatever that costs; none: that does not
  // help.
  std::vector<JobId> Move(const Job& job);
  // Whether it could be placed if these running jobs had ended.
  bool FitsWithout(const Job& job, const std::vector<const Job*>& ended) const;

 private:
  const State& state_;
  const Instant at_;
  Planner planner_;
  const Plan plan_;
  Rankings rankings_;
  Rehearsal held_;  // what is held for those who are being moved
  mutable BackfillReservations backfill_;
  std::optional<PreemptionCandidates> candidates_;
};

}  // namespace gp
