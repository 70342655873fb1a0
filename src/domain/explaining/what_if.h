#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "domain/cluster/state/state.h"
#include "domain/defragmenting/rehearsal.h"
#include "domain/scheduling/image_nodes.h"
#include "domain/scheduling/node_classes.h"
#include "domain/scheduling/planner.h"
#include "domain/scheduling/rankings.h"
#include "domain/scheduling/victims/find_victims.h"

namespace gp {

// Answers whether a job would start now if its spec, or what others hold, were different.  Valid
// for one settled state, which must outlive it.  Used by one thread.
class WhatIf {
 public:
  WhatIf(const State& state, Instant at);

  // The plan of the next pass.
  const Plan& plan() const { return plan_; }
  // The node classes, including what is reserved for jobs that are being moved.
  const NodeClasses& classes() const { return planner_.classes(); }
  const State& state() const { return state_; }
  Instant at() const { return at_; }

  // The placement of the job; nullopt: it would stay pending.
  std::optional<PlaceGang> Place(const Job& job);
  // The victims that it would preempt to be placed; nullopt: preemption does not help.
  std::optional<std::vector<JobId>> Interrupt(const Job& job);
  // Jobs that could be moved elsewhere so that it can be placed, whatever the cost; empty: moves do
  // not help.
  std::vector<JobId> Move(const Job& job);
  // Whether it could be placed if these running jobs had ended.
  bool FitsWithout(const Job& job, const std::vector<const Job*>& ended) const;

 private:
  const State& state_;
  const Instant at_;
  Planner planner_;
  const Plan plan_;
  Rankings rankings_;
  Rehearsal held_;  // the destinations of jobs that are being moved
  mutable BackfillReservations backfill_;
  ImageNodes image_nodes_;
  std::optional<PreemptionCandidates> preemption_candidates_;
};

}  // namespace gp
