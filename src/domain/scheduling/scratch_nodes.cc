#include "domain/scheduling/scratch_nodes.h"

#include <algorithm>

#include "domain/cluster/grants.h"

namespace gp {

ScratchNodes::ScratchNodes(const State& state) : state_(state) {
  for (const Node& node : state.nodes) {
    if (node.condition == NodeCondition::kUp && !node.draining) view_.push_back(&node);
  }
}

void ScratchNodes::Hold(const Job& job, const PlaceGang& place) {
  for (const RankPlacement& rank : place.ranks) {
    auto [copy, is_new] = copies_.try_emplace(rank.node);
    if (is_new) {
      copy->second = *state_.FindNode(rank.node);
      *std::ranges::find(view_, state_.FindNode(rank.node)) = &copy->second;
    }
    Lease lease;
    lease.id = {~uint64_t{0}};  // planned only: no live lease has this id
    lease.mode = ModeFor(job.spec->gpus);
    lease.gpus = rank.gpus;
    lease.numa = rank.numa;
    HoldGrants(copy->second, lease, job.user.name);
  }
}

void ScratchNodes::Reserve(NodeId node) {
  std::erase_if(view_, [node](const Node* other) { return other->id == node; });
}

}  // namespace gp
