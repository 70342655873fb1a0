#pragma once

// A small overlay over the state's nodes: a pass plans on copies of the few nodes that it touches.

#include <map>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/cluster/state.h"

namespace gp {

class ScratchNodes {
 public:
  explicit ScratchNodes(const State& state) : state_(state) {}

  // With what is held and taken away so far.
  const Node& Of(NodeId id) const;
  void Hold(const Job& job, const std::vector<RankPlacement>& ranks);
  // As if the job had left.
  void TakeAway(const Job& job);
  // What a pass has put there.
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
