#include "domain/explaining/what_if.h"

#include <algorithm>
#include <string>
#include <utility>

#include "domain/cluster/quotas/grants.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/defragmenting/find_moves.h"
#include "domain/placement/place_gang.h"
#include "domain/scheduling/pick_variant.h"
#include "domain/scheduling/scratch_nodes.h"

namespace gp {

WhatIf::WhatIf(const State& state, Instant at)
    : state_(state),
      at_(at),
      plan_(planner_.Schedule(state, at)),
      rankings_(state.policy.placement),
      held_(state, planner_.classes(), rankings_),
      backfill_(state, at, plan_.backfill),
      image_nodes_(state) {
  for (const PlaceGang& place : plan_.held) held_.Hold(*state.FindJob(place.job), place.ranks);
}

std::optional<PlaceGang> WhatIf::Place(const Job& job) {
  const auto is_stopped = [this](const Job& as) {
    return FindQuotaStop(state_, as, at_).has_value();
  };
  const auto found = PickVariant(job, planner_.classes(), rankings_, backfill_.ClosedTo(job),
                                 image_nodes_.For(job), is_stopped);
  if (!found) return std::nullopt;
  NodeList chosen;
  for (const NodeId id : found->pick.nodes) chosen.push_back(&held_.nodes().Of(id));
  PlaceGang place =
      PlaceOn(chosen, found->job, found->pick.nodes_fit, rankings_.WeightsFor(job.pool));
  place.variant = found->variant;
  return place;
}

std::optional<std::vector<JobId>> WhatIf::Interrupt(const Job& job) {
  if (FindQuotaStop(state_, job, at_)) return std::nullopt;
  if (!preemption_candidates_) preemption_candidates_.emplace(state_, at_);
  auto victims =
      FindVictims(state_, held_.nodes(), *preemption_candidates_, backfill_.OfOthers(job), job);
  if (!victims) return std::nullopt;
  return std::move(victims->jobs);
}

std::vector<JobId> WhatIf::Move(const Job& job) {
  if (state_.jobs.movable.empty()) return {};
  const auto plan = MoveFinder(state_, at_, planner_.classes(), plan_).Find(job);
  held_.Resume();
  std::vector<JobId> moved;
  if (!plan) return moved;
  for (const MoveJobs::Move& move : plan->moves.moves) moved.push_back(move.job);
  std::ranges::sort(moved);
  return moved;
}

bool WhatIf::FitsWithout(const Job& job, const std::vector<const Job*>& ended) const {
  Holdings gone;
  std::map<NodeId, Node> changed;
  for (const Job* other : ended) {
    for (const AccountId& account : AccountsOf(*other)) gone[account] += -HoldingOf(state_, *other);
    for (const LeaseId id : other->leases) {
      const Lease& lease = *state_.FindLease(id);
      ReleaseGrants(changed.try_emplace(lease.node, held_.nodes().Of(lease.node)).first->second,
                    lease);
    }
  }
  if (FindQuotaStop(state_, job, at_, gone)) return false;
  const std::set<NodeId>& closed = backfill_.ClosedTo(job);
  std::map<std::string, int> by_trait;
  const auto count = [&](const Node& node, int members) {
    const auto choice = ChooseGpus(node, job, rankings_.WeightsFor(job.pool));
    if (!choice) return false;
    int& fit = by_trait[CommonTrait(*job.spec, node, *choice)];
    fit += members;
    return fit >= job.spec->resources.nodes;
  };
  for (const auto& [id, node] : changed) {
    if (!closed.contains(id) && count(node, 1)) return true;
  }
  const bool is_stopped = FindQuotaStop(state_, job, at_).has_value();
  // The unchanged nodes do not fit it
  if (job.spec->resources.nodes == 1 && !is_stopped) return false;
  for (ClassId id = 0; id < planner_.classes().size(); ++id) {
    const NodeClasses::Class& one = planner_.classes().Of(id);
    int members = 0;
    for (const NodeId node : one.members)
      members += closed.contains(node) || changed.contains(node) ? 0 : 1;
    if (members > 0 && count(one.example, members)) return true;
  }
  return false;
}

}  // namespace gp
