#pragma once

// What would follow if some jobs left and others came, tried on scratch copies of nodes by the
// engine that places jobs.

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "domain/cluster/state.h"
#include "domain/scheduling/node_classes.h"
#include "domain/scheduling/rankings.h"
#include "domain/scheduling/scratch_nodes.h"

namespace gp {

class Rehearsal {
 public:
  // `classes`: of the state's nodes; `rankings`: of these classes.  Both are as before when it is
  // over.
  Rehearsal(const State& state, NodeClasses& classes, Rankings& rankings);
  ~Rehearsal();
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  const ScratchNodes& nodes() const { return nodes_; }
  void TakeAway(const Job& job);
  // Where the engine would place it now, `closed` nodes left out; it is held there.  nullopt: it
  // fits nowhere.
  std::optional<PlaceGang> Place(const Job& job, const std::set<NodeId>& closed);
  // The same on nodes that are known to hold it.
  PlaceGang PlaceOn(const Job& job, const std::vector<NodeId>& nodes);
  void Hold(const Job& job, const std::vector<RankPlacement>& ranks);
  // After another rehearsal with the same classes is over: its nodes stand there again as they are
  // in this one.
  void Resume();

 private:
  const State& state_;
  NodeClasses& classes_;
  Rankings& rankings_;
  ScratchNodes nodes_;
};

}  // namespace gp
