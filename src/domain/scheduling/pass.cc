#include "domain/scheduling/pass.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "domain/cluster/arrays.h"
#include "domain/cluster/grants.h"
#include "domain/cluster/moves.h"
#include "domain/model/variants.h"
#include "domain/placement/choose_gpus.h"
#include "domain/placement/place_gang.h"
#include "domain/scheduling/pick_variant.h"

namespace gp {
namespace {

bool IsOpenTo(const Node& node, const Job& job) {
  return node.condition == NodeCondition::kUp && !node.draining && MayUse(job, node);
}

GpuGrant GrantOn(const Node& node, const Job& job, int gpu) {
  const auto at = static_cast<size_t>(gpu);
  return PlacedGrantOf(job.spec->gpus, gpu, node.facts->gpus[at], node.gpus[at]);
}

}  // namespace

Pass::Pass(const State& state, Instant at, NodeClasses& classes, Rankings& rankings,
           ReadyTimes& ready_times)
    : state_(state),
      at_(at),
      classes_(classes),
      rankings_(rankings),
      ready_times_(ready_times),
      nodes_(state),
      queue_order_(state, at),
      backfill_(state, at) {
  for (const JobId id : state.moving) PlaceMoving(*state.FindJob(id));
  for (const JobId id : state.recovering) PlaceRecovering(*state.FindJob(id));
  for (const JobId id : state.nominated) PlaceNominated(*state.FindJob(id));
}

Pass::~Pass() {
  for (const NodeId id : nodes_.Touched()) classes_.Place(*state_.FindNode(id));
}

Plan Pass::Run() {
  for (const auto& [name, reservation] : state_.reservations) {
    if (reservation.starts_at > at_) LookAgainAt(reservation.starts_at);
  }
  while (const auto candidate = queue_order_.Next()) {
    if (settled_.contains(candidate->job->id) || TryEquivalenceClass(*candidate))
      queue_order_.Follow(*candidate);
  }
  plan_.made_at = at_;
  plan_.backfill = backfill_.all();
  return std::move(plan_);
}

// The destination of a moved job is held for it, and the job is placed there once it has stopped.
// Jobs of the same moves may still hold the destination. If it is lost for another reason, the job
// waits in the queue.
void Pass::PlaceMoving(const Job& moving) {
  if (!HoldsDestination(state_, moving, at_)) return;
  const Job& job = AsGiven(moving);
  const bool is_waiting = job.state == JobState::kQueued;
  if (is_waiting && FindQuotaStop(state_, job, at_, planned_)) return;
  auto place = PlaceAtDestination(job);
  if (is_waiting && place) {
    Add(job, *std::move(place));
  } else if (is_waiting && !AwaitsVictims(state_, job.moved_for)) {
    return;
  } else {
    HoldDestination(job, place);
  }
  if (is_waiting) settled_.insert(job.id);
}

// Holds the whole destination, or its free part: jobs of the same moves may hold the rest. The
// quota that the job will need is held too. If it will need less than it uses now, the difference
// stays in use until it has stopped.
void Pass::HoldDestination(const Job& job, const std::optional<PlaceGang>& place) {
  if (job.state == JobState::kQueued) {
    CountOnQuotas(job);
  } else {
    const Holding ask = AskOf(state_, job);
    const Holding now = HoldingOf(state_, job);
    const Holding more{std::max<int64_t>(ask.share - now.share, 0),
                       std::max<int64_t>(ask.firm_share - now.firm_share, 0),
                       std::max<int64_t>(ask.jobs - now.jobs, 0)};
    for (const AccountId& account : AccountsOf(job)) planned_[account] += more;
  }
  HoldBack(job, place ? *place : FreeOfDestination(job));
}

PlaceGang Pass::FreeOfDestination(const Job& job) {
  PlaceGang free;
  free.job = job.id;
  for (const RankTarget& target : job.destination) {
    const Node& node = nodes_.Of(target.node);
    RankPlacement& rank = free.ranks.emplace_back(RankPlacement{target.node, {}, {}});
    for (GpuMask rest = target.gpus & EligibleGpus(node, job); rest != 0; rest &= rest - 1) {
      const int gpu = std::countr_zero(rest);
      rank.gpus.push_back(GrantOn(node, job, gpu));
    }
  }
  return free;
}

// A job that was interrupted by a fault is tried before the queue for a while. Until it is placed,
// the free GPUs of its old placement are held for it.
void Pass::PlaceRecovering(const Job& job) {
  const bool is_waiting = job.state == JobState::kQueued;
  if (is_waiting &&
      (at_ >= job.recovers_until || settled_.contains(job.id) || IsStoppedByQuota(job)))
    return;
  if (is_waiting) {
    settled_.insert(job.id);
    LookAgainAt(job.recovers_until);
    if (TryHead(job, rankings_.Of(ShapeOf(job)))) return;
    CountOnQuotas(job);
  }
  if (HasVariants(*job.spec)) return;
  HoldBack(job, RestOfPlace(job));
}

PlaceGang Pass::RestOfPlace(const Job& job) {
  PlaceGang rest;
  rest.job = job.id;
  for (const RankRecord& rank : job.attempts.back().ranks) {
    const Node& node = nodes_.Of(rank.node);
    if (!IsOpenTo(node, job)) continue;
    RankPlacement& left = rest.ranks.emplace_back(RankPlacement{rank.node, {}, {}});
    const GpuMask eligible = EligibleGpus(node, job);
    for (const int gpu : rank.gpus) {
      const bool is_free = gpu < static_cast<int>(node.gpus.size()) && (eligible >> gpu & 1) != 0;
      if (is_free) left.gpus.push_back(GrantOn(node, job, gpu));
    }
  }
  return rest;
}

// The job with its variant, if it waits to start at its destination.
const Job& Pass::AsGiven(const Job& job) {
  if (job.state != JobState::kQueued || !HasVariants(*job.spec)) return job;
  return AsPlaced(job, job.variant, static_cast<int>(job.destination.size()));
}

const Job& Pass::AsPlaced(const Job& job, int variant, int nodes) {
  Job& as = variants_.emplace_back(job);
  as.spec = Resolve(job.spec, variant, nodes);
  return as;
}

std::optional<PlaceGang> Pass::PlaceAtDestination(const Job& job) {
  PlaceGang place{0, job.id, {}, "moved for " + NameOf(state_, job.moved_for) + ":", job.variant};
  const std::set<NodeId>& closed = backfill_.ClosedTo(job);
  std::set<std::string> traits;
  for (const RankTarget& target : job.destination) {
    const Node& node = nodes_.Of(target.node);
    const auto choice =
        closed.contains(target.node) ? std::nullopt : ChooseExactly(node, job, target.gpus);
    if (!choice) return std::nullopt;
    traits.insert(CommonTrait(*job.spec, node, *choice));
    place.ranks.push_back(choice->placement);
    place.note += " " + ToText(node, target.gpus);
  }
  if (traits.size() != 1) return std::nullopt;
  return place;
}

// Nodes are reserved for the job that is nominated to them. Once its last victim has ended, the job
// is tried there before the queue: its victims may come before it in the queue order. A nomination
// that is no longer possible has no effect.
void Pass::PlaceNominated(const Job& waiting) {
  const Job& job = HasVariants(*waiting.spec)
                       ? AsPlaced(waiting, 0, static_cast<int>(waiting.nominated_nodes.size()))
                       : waiting;
  if (settled_.contains(job.id) || FindQuotaStop(state_, job, at_, planned_)) return;
  if (AwaitsVictims(state_, job.id)) {
    for (const NodeId id : job.nominated_nodes) {
      const Node& node = *state_.FindNode(id);
      if (!IsOpenTo(node, job)) continue;
      awaiting_victims_.insert(job.id);
      backfill_.Reserve(id, {job.id, {}});
    }
    if (awaiting_victims_.contains(job.id)) CountOnQuotas(job);
    return;
  }
  std::set<std::string> traits;
  const std::set<NodeId>& closed = backfill_.ClosedTo(job);
  for (const NodeId id : job.nominated_nodes) {
    if (closed.contains(id)) return;
    const Node& node = nodes_.Of(id);
    const auto choice = ChooseGpus(node, job, rankings_.WeightsFor(job.pool));
    if (!choice) return;
    traits.insert(CommonTrait(*job.spec, node, *choice));
  }
  if (traits.size() != 1) return;
  Place(job, {job.nominated_nodes, job.nominated_nodes.size()});
  settled_.insert(job.id);
}

// Equivalence classes that differ only in the run time of their jobs, and find the same nodes
// closed, fail alike. Many different time limits therefore cost no more than one.
bool Pass::TryEquivalenceClass(const QueueOrder::Candidate& candidate) {
  const Job& job = *candidate.job;
  ShapeRanking& ranking = rankings_.Of(candidate.equivalence_class->shape);
  const bool may_reserve = at_ - job.queued_at >= ReservesAfter(state_.policy, *job.spec) &&
                           !pools_with_reservation_.contains(job.pool);
  if (candidate.equivalence_class->stay == kForever || may_reserve ||
      awaiting_victims_.contains(job.id))
    return TryHead(job, ranking);
  EquivalenceClass alike = *candidate.equivalence_class;
  alike.stay = Duration{};
  const std::tuple key(std::move(alike), backfill_.BoundOf(job), backfill_.changes());
  if (in_vain_.contains(key)) return false;
  if (TryHead(job, ranking)) return true;
  in_vain_.insert(key);
  return false;
}

// False: no other job of its equivalence class needs to be tried in this pass. Preemption and
// backfill reservations consider only the job's own fields, not `any_of`, on the fewest nodes.
bool Pass::TryHead(const Job& job, ShapeRanking& ranking) {
  const bool awaits_victims = awaiting_victims_.contains(job.id);
  if (HasVariants(*job.spec))
    return (!awaits_victims && PlaceVariant(job)) ||
           PreemptOrReserve(AsPlaced(job, 0, LeastNodes(*job.spec)), awaits_victims);
  if (!awaits_victims && IsStoppedByQuota(job)) return false;
  if (const auto pick = ranking.Find(classes_, job, backfill_.ClosedTo(job))) {
    Place(job, *pick);
    return true;
  }
  return PreemptOrReserve(job, awaits_victims);
}

// The job fits nowhere now: preempts other jobs, and reserves nodes if it has waited long enough.
bool Pass::PreemptOrReserve(const Job& job, bool awaits_victims) {
  if (!awaits_victims && IsStoppedByQuota(job)) return false;
  const bool has_victims = awaits_victims || Preempt(job);
  if (at_ - job.queued_at >= ReservesAfter(state_.policy, *job.spec))
    ReserveFor(job, rankings_.Of(ShapeOf(job)), has_victims);
  return has_victims;
}

bool Pass::PlaceVariant(const Job& job) {
  const auto is_stopped = [this](const Job& as) {
    return FindQuotaStop(state_, as, at_, planned_).has_value();
  };
  auto found = PickVariant(job, classes_, rankings_, backfill_.ClosedTo(job), is_stopped);
  if (!found) return false;
  const Job& as = variants_.emplace_back(std::move(found->job));
  Place(as, found->pick, found->variant);
  return true;
}

// Makes a backfill reservation for the first job of a pool that does not fit: on the nodes where it
// can start first, only jobs that end before its start are placed. If a job without a time limit is
// in its way, it reserves the emptiest nodes that could hold it, and only jobs with a time limit
// are placed there. If the nodes in service cannot hold it even when empty, it reserves nothing. A
// reservation counts on the quotas of the job, so that jobs behind it do not use them up.
// `only_if_sure`: its victims are still running, so it keeps its nominated nodes unless the start
// is known.
void Pass::ReserveFor(const Job& job, ShapeRanking& ranking, bool only_if_sure) {
  if (pools_with_reservation_.contains(job.pool)) return;
  const std::set<NodeId> taken = backfill_.Taken(job);
  const auto ready =
      AnyTimeLimits()
          ? ready_times_.Find(state_, at_, nodes_, ranking.AbleWhenEmpty(classes_, job, taken), job)
          : std::nullopt;
  if (!ready && only_if_sure) return;
  const Instant shadow_time = ready                               ? ready->at
                              : ReadyTimes::CanPredict(*job.spec) ? kUnknownStart
                                                                  : Instant{};
  for (const NodeId id : ready ? ready->nodes : ranking.FindEmptied(classes_, job, taken)) {
    backfill_.Reserve(id, {job.id, shadow_time});
    pools_with_reservation_.insert(job.pool);
    CountOnQuotas(job);
  }
}

bool Pass::AnyTimeLimits() const {
  return state_.limited > 0 ||
         std::ranges::any_of(placed_, [](const Job* job) { return job->spec->time_limit.ns != 0; });
}

bool Pass::Preempt(const Job& job) {
  if (!preemption_candidates_) {
    preemption_candidates_.emplace(state_, at_);
    for (const Job* placed : placed_) preemption_candidates_->CountPlaced(*placed);
  }
  const PreemptionCandidates::Eligible& eligible = preemption_candidates_->For(job);
  if (eligible.next.ns != 0) LookAgainAt(eligible.next);
  if (eligible.victims.empty()) return false;
  const auto victims =
      FindVictims(state_, nodes_, *preemption_candidates_, backfill_.OfOthers(job), job);
  if (!victims) return false;
  for (const JobId victim : victims->jobs) {
    plan_.steps.push_back(PreemptJob{state_.last_pass + 1, victim, job.id, victims->nodes});
    preemption_candidates_->Preempt(job, victim);
  }
  for (const NodeId id : victims->nodes) backfill_.Reserve(id, {job.id, {}});
  CountOnQuotas(job);
  return true;
}

void Pass::Place(const Job& job, const ShapeRanking::Pick& pick, int variant) {
  NodeView chosen;
  for (const NodeId id : pick.nodes) chosen.push_back(&nodes_.Of(id));
  PlaceGang place = PlaceOn(chosen, job, pick.nodes_fit, rankings_.WeightsFor(job.pool));
  place.variant = variant;
  Add(job, std::move(place));
}

void Pass::Add(const Job& job, PlaceGang place) {
  place.pass = state_.last_pass + 1;
  Hold(job, place.ranks);
  CountOnQuotas(job);
  queue_order_.Charge(job, AskOf(state_, job).share);
  placed_.push_back(&job);
  if (preemption_candidates_) preemption_candidates_->CountPlaced(job);
  plan_.steps.push_back(std::move(place));
}

// Holds the placement for later: no other job gets it.
void Pass::HoldBack(const Job& job, PlaceGang place) {
  Hold(job, place.ranks);
  plan_.held.push_back(std::move(place));
}

void Pass::Hold(const Job& job, const std::vector<RankPlacement>& ranks) {
  nodes_.Hold(job, ranks);
  for (const RankPlacement& rank : ranks) classes_.Place(nodes_.Of(rank.node));
}

bool Pass::IsStoppedByQuota(const Job& job) {
  const auto stop = FindQuotaStop(state_, job, at_, planned_);
  if (stop && stop->kind == QuotaStop::Kind::kGpuHours) LookAgainAt(NextPeriod());
  return stop.has_value();
}

// Counts the job on its quotas once: other jobs cannot use what is planned or reserved for it.
void Pass::CountOnQuotas(const Job& job) {
  if (!counted_.insert(job.id).second) return;
  const Holding ask = AskOf(state_, job);
  for (const AccountId& account : AccountsOf(job)) planned_[account] += ask;
}

void Pass::LookAgainAt(Instant at) {
  Instant& planned = plan_.look_again_at;
  if (planned.ns == 0 || at < planned) planned = at;
}

Instant Pass::NextPeriod() const {
  const int64_t period_ns = state_.policy.usage_period.ns;
  return {(at_.ns / period_ns + 1) * period_ns};
}

}  // namespace gp
