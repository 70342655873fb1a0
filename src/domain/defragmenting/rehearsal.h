#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "domain/cluster/state/state.h"
#include "domain/scheduling/node_classes.h"
#include "domain/scheduling/rankings.h"
#include "domain/scheduling/scratch_nodes.h"

namespace gp {

// Tries out what happens if some jobs leave and others arrive, on scratch copies of nodes and with
// the production placement.  Used by one thread.
class Rehearsal {
 public:
  // `classes`: of the state's nodes; `rankings`: of these classes.  The destructor restores both.
  Rehearsal(const State& state, NodeClasses& classes, Rankings& rankings);
  ~Rehearsal();
  Rehearsal(const Rehearsal&) = delete;
  Rehearsal& operator=(const Rehearsal&) = delete;

  const ScratchNodes& nodes() const { return nodes_; }
  void TakeAway(const Job& job);
  // The placement that the engine would choose now without the `closed` nodes; the job holds it
  // from then on. nullopt: it fits nowhere.
  std::optional<PlaceGang> Place(const Job& job, const std::set<NodeId>& closed);
  // The same, on nodes that are known to fit it.
  PlaceGang PlaceOn(const Job& job, const std::vector<NodeId>& nodes);
  void Hold(const Job& job, const std::vector<RankPlacement>& ranks);
  // Call it after another rehearsal with the same classes has ended: it registers this rehearsal's
  // nodes in the classes again.
  void Resume();

 private:
  const State& state_;
  NodeClasses& classes_;
  Rankings& rankings_;
  ScratchNodes nodes_;
};

}  // namespace gp
