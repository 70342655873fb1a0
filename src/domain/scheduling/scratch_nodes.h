#pragma once

// An overlay over the nodes of the state: a pass plans on copies of the few nodes that it changes.

#include <map>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/cluster/state/state.h"

namespace gp {

// Copies a node on its first change. The state must outlive this and not change. Not thread-safe.
class ScratchNodes {
 public:
  explicit ScratchNodes(const State& state) : state_(state) {}

  // The node with all changes so far.
  const Node& Of(NodeId id) const;
  void Hold(const Job& job, const std::vector<RankPlacement>& ranks);
  // As if the job had ended.
  void TakeAway(const Job& job);
  // What the pass has placed on the node.
  struct Planned {
    const Job* job = nullptr;
    Lease lease;
  };
  const std::vector<Planned>& PlannedOn(NodeId id) const;
  std::vector<NodeId> Touched() const;

 private:
  Node& CopyOf(NodeId id);

  const State& state_;
  std::map<NodeId, Node> copies_;
  std::map<NodeId, std::vector<Planned>> planned_;
};

}  // namespace gp
