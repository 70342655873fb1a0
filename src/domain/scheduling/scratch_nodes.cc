#include "domain/scheduling/scratch_nodes.h"

#include "domain/cluster/grants.h"

namespace gp {

const Node& ScratchNodes::Of(NodeId id) const {
  const auto copy = copies_.find(id);
  return copy == copies_.end() ? *state_.FindNode(id) : copy->second;
}

void ScratchNodes::Hold(const Job& job, const PlaceGang& place) {
  for (const RankPlacement& rank : place.ranks) {
    Node& copy = copies_.try_emplace(rank.node, *state_.FindNode(rank.node)).first->second;
    Lease lease;
    lease.id = {~uint64_t{0}};  // planned only: no live lease has this id
    lease.mode = ModeFor(job.spec->gpus);
    lease.gpus = rank.gpus;
    lease.numa = rank.numa;
    HoldGrants(copy, lease, job.user.name);
  }
}

std::vector<NodeId> ScratchNodes::Touched() const {
  std::vector<NodeId> touched;
  for (const auto& [id, copy] : copies_) touched.push_back(id);
  return touched;
}

}  // namespace gp
