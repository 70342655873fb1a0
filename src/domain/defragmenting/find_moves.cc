#include "domain/defragmenting/find_moves.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "domain/cluster/moves.h"
#include "domain/model/jobs/variants.h"
#include "domain/placement/place_gang.h"
#include "domain/scheduling/planner.h"
#include "domain/scheduling/queue_order.h"
#include "domain/scheduling/ready_times.h"
#include "domain/scheduling/victims/candidates_by_node.h"
#include "domain/scheduling/victims/victim_search.h"

namespace gp {
namespace {

// Sets of jobs to move tried for one pending job; each further set leaves out a job that could not
// be placed elsewhere.
constexpr int kSetsTried = 16;
constexpr size_t kJobsTried = 64;
constexpr size_t kCandidatesMax = 10'000;

}  // namespace

MoveFinder::MoveFinder(const State& state, Instant at, NodeClasses& classes, const Plan& pass)
    : state_(state),
      at_(at),
      classes_(classes),
      pass_(pass),
      backfill_(state, at, pass.backfill),
      rankings_(state.policy.placement) {}

// Assumes the fewest nodes if the job allows a range.
std::optional<MovePlan> MoveFinder::Find(const Job& waiting) {
  if (AwaitsVictims(state_, waiting.id)) return std::nullopt;
  Job job = waiting;
  job.spec = Resolve(job.spec, 0, LeastNodes(*job.spec));
  if (FindQuotaStop(state_, job, at_, planned_)) return std::nullopt;
  std::vector<Contender> candidates = CandidatesFor(job);
  for (int tried = 0; tried < kSetsTried && !candidates.empty(); ++tried) {
    const size_t before = candidates.size();
    if (auto plan = FindAmong(job, candidates)) return plan;
    if (candidates.size() == before) break;  // no job was left out: there is no room at all
  }
  return std::nullopt;
}

void MoveFinder::Accept(const MovePlan& plan) {
  accepted_.push_back(plan);
  for (const MoveJobs::Move& move : plan.moves.moves) taken_.insert(move.job);
  for (const NodeId id : plan.moves.nodes) backfill_.Reserve(id, {plan.moves.by, {}});
  const Job by = AsNominated(*state_.FindJob(plan.moves.by), plan.moves.nodes.size());
  for (const AccountId& account : AccountsOf(by)) planned_[account] += AskOf(state_, by);
}

std::vector<Contender> MoveFinder::CandidatesFor(const Job& job) const {
  std::vector<Contender> candidates;
  for (const JobId id : state_.jobs.movable) {
    const Job& other = *state_.FindJob(id);
    if (other.pool != job.pool || taken_.contains(id) || !WhyNotMoved(state_, other, at_).empty())
      continue;
    candidates.push_back(ContenderOf(other, at_));
  }
  return candidates;
}

void MoveFinder::Repeat(Rehearsal& rehearsal) const {
  for (const PlaceGang& place : pass_.held) rehearsal.Hold(*state_.FindJob(place.job), place.ranks);
  for (const PlaceGang& place : pass_.Placements())
    rehearsal.Hold(*state_.FindJob(place.job), place.ranks);
  for (const JobId id : taken_) rehearsal.TakeAway(*state_.FindJob(id));
  for (const MovePlan& plan : accepted_) {
    for (const PlaceGang& place : plan.places)
      rehearsal.Hold(*state_.FindJob(place.job), place.ranks);
  }
}

// A job that cannot be placed elsewhere is no longer a candidate.
std::optional<MovePlan> MoveFinder::FindAmong(const Job& job, std::vector<Contender>& candidates) {
  Rehearsal rehearsal(state_, classes_, rankings_);
  Repeat(rehearsal);
  VictimSearch search(state_, rehearsal.nodes(), at_, job, [](const auto&) { return true; });
  CandidatesByNode by_node(state_, candidates);
  std::set<NodeId> closed = backfill_.OfOthers(job);
  // Nodes that other moves clear are closed, even if the pass reserves them for no job.
  for (const auto& [node, other] : NominatedToOthers(state_, job.id)) closed.insert(node);
  const auto eviction = search.Find(by_node.Open(closed, job.spec->resources.nodes > 1));
  if (!eviction) return std::nullopt;
  const std::vector<const Job*>& leaving = eviction->victims;
  if (leaving.empty() ||
      static_cast<int64_t>(leaving.size() + taken_.size()) > MovesLeft(state_, at_))
    return std::nullopt;
  const Job* stuck = nullptr;
  auto plan = Rehearse(job, leaving, eviction->nodes, rehearsal, &stuck);
  if (stuck != nullptr)
    std::erase_if(candidates, [stuck](const Contender& one) { return one.job == stuck; });
  return plan;
}

// All these jobs leave, the pending job is placed, and each of them is placed elsewhere, the
// largest requests first.
std::optional<MovePlan> MoveFinder::Rehearse(const Job& job, const std::vector<const Job*>& leaving,
                                             const std::vector<NodeId>& nodes, Rehearsal& rehearsal,
                                             const Job** stuck) {
  for (const Job* one : leaving) rehearsal.TakeAway(*one);
  MovePlan plan;
  plan.moves.by = job.id;
  plan.moves.nodes = nodes;
  plan.places.push_back(rehearsal.PlaceOn(job, nodes));
  std::vector<const Job*> order = leaving;
  std::ranges::sort(order, {}, [](const Job* one) {
    return std::tuple(-one->spec->resources.nodes, -one->spec->resources.gpus.count, one->id);
  });
  for (const Job* one : order) {
    // Advance reservations may begin while it stops.
    const Instant back_at = at_ + one->spec->policy.grace + kEndMargin;
    auto place = rehearsal.Place(
        *one, BackfillReservations(state_, back_at, BackfillWithout(job.id)).OfOthers(*one));
    if (!place) {
      *stuck = one;
      return std::nullopt;
    }
    MoveJobs::Move& move = plan.moves.moves.emplace_back();
    move.job = one->id;
    for (const RankPlacement& rank : place->ranks)
      move.destination.push_back({rank.node, MaskOf(rank)});
    plan.places.push_back(*std::move(place));
  }
  Weigh(job, plan);
  return plan;
}

// Nodes that are cleared for the pending job are open to the jobs that leave for it.
std::map<NodeId, BackfillReservation> MoveFinder::BackfillWithout(JobId by) const {
  std::map<NodeId, BackfillReservation> backfill = backfill_.all();
  std::erase_if(backfill, [by](const auto& one) { return one.second.job == by; });
  return backfill;
}

void MoveFinder::Weigh(const Job& job, MovePlan& plan) {
  Duration longest_grace;
  for (const MoveJobs::Move& move : plan.moves.moves) {
    const Job& moved = *state_.FindJob(move.job);
    longest_grace = std::max(longest_grace, moved.spec->policy.grace);
    plan.cost += HoldingOf(state_, moved).share *
                 (moved.spec->policy.grace + state_.policy.move_cost).ToMilliseconds();
  }
  ReadyTimes times;
  const auto able =
      rankings_.Of(ShapeOf(job)).AbleWhenEmpty(classes_, job, backfill_.OfOthers(job));
  const auto ready = state_.jobs.limited > 0
                         ? times.Find(state_, at_, ScratchNodes(state_), able, job)
                         : std::nullopt;
  plan.is_wait_known = ready.has_value();
  const Duration wait = ready ? ready->at - at_ : at_ - job.queued_at;
  plan.wait_saved = std::max(Duration{}, wait - longest_grace);
  plan.gain = AskOf(state_, job).share * plan.wait_saved.ToMilliseconds();
}

std::vector<MovePlan> PlanMoves(const State& state, Instant at, const std::set<JobId>& wanted) {
  std::vector<MovePlan> plans;
  if (state.jobs.movable.empty()) return plans;
  Planner planner;
  const Plan pass = planner.Schedule(state, at);
  std::set<JobId> served;  // jobs that the next pass acts for
  for (const Plan::Step& step : pass.steps) {
    served.insert(std::visit(
        [](const auto& one) {
          if constexpr (requires { one.by; })
            return one.by;
          else
            return one.job;
        },
        step));
  }
  MoveFinder finder(state, at, planner.classes(), pass);
  std::set<EquivalenceClass> in_vain;
  QueueOrder order(state, at);
  size_t tried = 0;
  for (size_t looked_at = 0; tried < kJobsTried && looked_at < kCandidatesMax; ++looked_at) {
    const auto candidate = order.Next();
    if (!candidate) break;
    if (in_vain.contains(*candidate->equivalence_class)) continue;  // its class found none
    order.Follow(*candidate);
    const Job& job = *candidate->job;
    const bool is_served = served.contains(job.id) || HoldsDestination(state, job, at);
    if (is_served || (!wanted.empty() && !wanted.contains(job.id))) continue;
    ++tried;
    const auto plan = finder.Find(job);
    if (plan && plan->gain > plan->cost) {
      finder.Accept(*plan);
      plans.push_back(*plan);
    } else {
      in_vain.insert(*candidate->equivalence_class);
    }
  }
  return plans;
}

}  // namespace gp
