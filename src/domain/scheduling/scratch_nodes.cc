#include "domain/scheduling/scratch_nodes.h"

#include <utility>

#include "domain/cluster/quotas/grants.h"

namespace gp {

const Node& ScratchNodes::Of(NodeId id) const {
  const auto copy = copies_.find(id);
  return copy == copies_.end() ? *state_.FindNode(id) : copy->second;
}

Node& ScratchNodes::CopyOf(NodeId id) {
  return copies_.try_emplace(id, *state_.FindNode(id)).first->second;
}

void ScratchNodes::TakeAway(const Job& job) {
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state_.FindLease(id);
    ReleaseGrants(CopyOf(lease.node), lease);
  }
}

void ScratchNodes::Hold(const Job& job, const std::vector<RankPlacement>& ranks) {
  for (const RankPlacement& rank : ranks) {
    Node& copy = CopyOf(rank.node);
    Lease lease;
    // Only planned: no real lease has this id
    lease.id = {~uint64_t{0} - planned_[rank.node].size()};
    lease.mode = ModeFor(job.spec->resources.gpus);
    lease.gpus = rank.gpus;
    lease.numa = rank.numa;
    HoldGrants(copy, lease, job.user.name);
    planned_[rank.node].push_back({&job, std::move(lease)});
  }
}

const std::vector<ScratchNodes::Planned>& ScratchNodes::PlannedOn(NodeId id) const {
  static const std::vector<Planned> kNone;
  const auto planned = planned_.find(id);
  return planned == planned_.end() ? kNone : planned->second;
}

std::vector<NodeId> ScratchNodes::Touched() const {
  std::vector<NodeId> touched;
  for (const auto& [id, copy] : copies_) touched.push_back(id);
  return touched;
}

}  // namespace gp
