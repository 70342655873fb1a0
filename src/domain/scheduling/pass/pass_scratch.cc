#include "domain/scheduling/pass/pass_scratch.h"

#include <utility>

#include "domain/cluster/quotas/grants.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/model/jobs/variants.h"
#include "domain/placement/choose_gpus.h"
#include "domain/placement/place_gang.h"

namespace gp {
namespace {

// The start of the next period in which the GPU hours of quotas are counted.
Instant NextUsagePeriod(const State& state, Instant at) {
  const int64_t period_ns = state.policy.usage_period.ns;
  return {(at.ns / period_ns + 1) * period_ns};
}

}  // namespace

PassScratch::PassScratch(const PassInput& input)
    : PassInput(input),
      nodes(state),
      queue_order(state, at),
      backfill(state, at),
      image_nodes(state) {}

PassScratch::~PassScratch() {
  for (const NodeId id : nodes.Touched()) classes.Place(*state.FindNode(id));
}

void PassScratch::Place(const Job& job, PlaceGang place) {
  place.pass = state.last_pass + 1;
  Hold(job, place.ranks);
  CountOnQuotas(job);
  queue_order.Charge(job, AskOf(state, job).share);
  placed.push_back(&job);
  if (preemption_candidates) preemption_candidates->CountPlaced(job);
  plan.steps.push_back(std::move(place));
}

void PassScratch::PlaceOnNodes(const Job& job, const ShapeRanking::Pick& pick, int variant) {
  NodeList chosen;
  for (const NodeId id : pick.nodes) chosen.push_back(&nodes.Of(id));
  PlaceGang place = PlaceOn(chosen, job, pick.nodes_fit, rankings.WeightsFor(job.pool));
  place.variant = variant;
  Place(job, std::move(place));
}

void PassScratch::HoldBack(const Job& job, PlaceGang place) {
  Hold(job, place.ranks);
  plan.held.push_back(std::move(place));
}

void PassScratch::Hold(const Job& job, const std::vector<RankPlacement>& ranks) {
  nodes.Hold(job, ranks);
  for (const RankPlacement& rank : ranks) classes.Place(nodes.Of(rank.node));
}

bool PassScratch::IsStoppedByQuota(const Job& job) {
  const auto stop = FindQuotaStop(state, job, at, planned);
  if (stop && stop->kind == QuotaStop::Kind::kGpuHours) LookAgainAt(NextUsagePeriod(state, at));
  return stop.has_value();
}

void PassScratch::CountOnQuotas(const Job& job) {
  if (!counted.insert(job.id).second) return;
  const Holding ask = AskOf(state, job);
  for (const AccountId& account : AccountsOf(job)) planned[account] += ask;
}

void PassScratch::LookAgainAt(Instant when) {
  Instant& earliest = plan.look_again_at;
  if (earliest.ns == 0 || when < earliest) earliest = when;
}

const Job& PassScratch::AsPlaced(const Job& job, int variant, int nodes_wanted) {
  Job& as = variants.emplace_back(job);
  as.spec = Resolve(job.spec, variant, nodes_wanted);
  return as;
}

bool IsOpenTo(const Node& node, const Job& job) {
  return node.condition == NodeCondition::kUp && !node.draining && MayUse(job, node);
}

GpuGrant GrantOn(const Node& node, const Job& job, int gpu) {
  const auto at = static_cast<size_t>(gpu);
  return PlacedGrantOf(job.spec->resources.gpus, gpu, node.facts->gpus[at], node.gpus[at]);
}

}  // namespace gp
