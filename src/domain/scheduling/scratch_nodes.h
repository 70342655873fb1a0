#pragma once

// A small overlay over the state's nodes: a pass plans on copies of the few nodes that it touches.

#include <map>

#include "domain/cluster/command.h"
#include "domain/cluster/state.h"
#include "domain/placement/place_gang.h"

namespace gp {

class ScratchNodes {
 public:
  explicit ScratchNodes(const State& state);

  // Every node that takes work, reserved ones left out.
  const NodeView& view() const { return view_; }
  void Hold(const Job& job, const PlaceGang& place);
  // No later job of this pass may use the node.
  void Reserve(NodeId node);

 private:
  const State& state_;
  std::map<NodeId, Node> copies_;
  NodeView view_;
};

}  // namespace gp
