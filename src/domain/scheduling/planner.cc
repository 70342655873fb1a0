#include "domain/scheduling/planner.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "domain/placement/place_gang.h"
#include "domain/scheduling/find_victims.h"
#include "domain/scheduling/scratch_nodes.h"

namespace gp {
namespace {

// What is remembered is given up where it would grow beyond this: it can be worked out again.
constexpr size_t kClassesMax = 20'000;
constexpr size_t kRankingsMax = 4'096;
// Service levels grow with time alone.
constexpr Duration kLookAgain = Duration::Minutes(1);

// One pass over the queue.  What it plans it holds on scratch copies of nodes, which stand in their
// classes for as long as the pass lasts.
class Pass {
 public:
  Pass(const State& state, Instant at, NodeClasses& classes, std::map<JobShape, ShapeRanking>& rankings)
      : state_(state), at_(at), classes_(classes), rankings_(rankings), nodes_(state) {
    for (const auto& [shape, line] : state.lines) heads_.insert({*line.begin(), &shape});
    ReservePromised();
  }
  ~Pass() {
    for (const NodeId id : nodes_.Touched()) classes_.Place(*state_.FindNode(id));
  }

  Plan Run() {
    while (!heads_.empty()) {
      const auto [key, shape] = *heads_.begin();
      heads_.erase(heads_.begin());
      if (!TryHead(*state_.FindJob(key.job), rankings_[*shape])) continue;
      const auto& line = state_.lines.at(*shape);
      const auto next = line.upper_bound(key);
      if (next != line.end()) heads_.insert({*next, shape});
    }
    return std::move(plan_);
  }

 private:
  // Nodes on which jobs are being interrupted are kept for whom they are interrupted.
  void ReservePromised() {
    for (const auto& [by, victim] : state_.preemptions) {
      const Job* job = state_.FindJob(by);
      if (job == nullptr || job->state != JobState::kQueued) continue;
      for (const LeaseId id : state_.FindJob(victim)->leases) {
        const NodeId node = state_.FindLease(id)->node;
        promised_[by].insert(node);
        reserved_.insert(node);
      }
    }
  }

  // False: nobody of its line need be tried in this pass.
  bool TryHead(const Job& job, ShapeRanking& ranking) {
    const auto promised = promised_.find(job.id);
    if (const auto pick = ranking.Find(classes_, job, promised == promised_.end() ? reserved_ : ReservedForOthers(promised->second))) {
      plan_.placements.push_back(Hold(job, *pick));
      return true;
    }
    if (promised != promised_.end()) return true;  // its place is being cleared
    if (Interrupt(job)) return true;
    if (!has_reservation_ && at_ - job.queued_at >= state_.policy.reserve_after) {
      // It waited too long: the emptiest nodes that could hold it fill no further.  Where those in
      // service cannot hold it even when empty, it keeps nothing from others.
      for (const NodeId id : ranking.FindEmptied(classes_, job)) {
        reserved_.insert(id);
        has_reservation_ = true;
      }
    }
    return false;
  }

  std::set<NodeId> ReservedForOthers(const std::set<NodeId>& own) const {
    std::set<NodeId> reserved = reserved_;
    for (const NodeId id : own) reserved.erase(id);
    return reserved;
  }

  void LookAgainAt(Instant at) {
    Instant& planned = plan_.look_again_at;
    if (planned.ns == 0 || at < planned) planned = at;
  }

  bool Interrupt(const Job& job) {
    if (!interruptible_) interruptible_.emplace(state_, at_);
    const Standing standing = StandingOf(job, at_);
    if (interruptible_->AnyLaterFor(standing)) LookAgainAt(std::min(interruptible_->ripe_at(), at_ + kLookAgain));
    if (!interruptible_->AnyFor(standing)) return false;
    const auto victims = FindVictims(state_, nodes_, *interruptible_, reserved_, job, at_);
    if (!victims) return false;
    for (const JobId victim : victims->jobs) {
      plan_.preemptions.push_back({state_.last_pass + 1, victim, job.id});
      interruptible_->Remove(victim);
    }
    reserved_.insert(victims->nodes.begin(), victims->nodes.end());
    return true;
  }

  PlaceGang Hold(const Job& job, const ShapeRanking::Pick& pick) {
    NodeView chosen;
    for (const NodeId id : pick.nodes) chosen.push_back(&nodes_.Of(id));
    PlaceGang place = PlaceOn(chosen, job, pick.nodes_fit);
    place.pass = state_.last_pass + 1;
    nodes_.Hold(job, place);
    for (const NodeId id : pick.nodes) classes_.Place(nodes_.Of(id));
    return place;
  }

  const State& state_;
  const Instant at_;
  NodeClasses& classes_;
  std::map<JobShape, ShapeRanking>& rankings_;
  ScratchNodes nodes_;
  std::set<std::pair<QueueKey, const JobShape*>> heads_;  // the first of each line that may still fit
  std::map<JobId, std::set<NodeId>> promised_;
  std::set<NodeId> reserved_;
  bool has_reservation_ = false;  // for one that waited too long
  std::optional<Interruptible> interruptible_;
  Plan plan_;
};

}  // namespace

void Planner::Follow(const State& state) {
  if (classes_.size() > kClassesMax || rankings_.size() > kRankingsMax) {
    classes_ = {};
    rankings_.clear();
    is_new_ = true;
  }
  if (is_new_) {
    for (const Node& node : state.nodes) classes_.Place(node);
  } else {
    const auto first = state.nodes_by_change.upper_bound({seen_, NodeId{~uint32_t{0}}});
    for (auto change = first; change != state.nodes_by_change.end(); ++change) {
      classes_.Place(*state.FindNode(change->second));
    }
  }
  is_new_ = false;
  seen_ = state.node_changes;
}

Plan Planner::Schedule(const State& state, Instant at) {
  Follow(state);
  return Pass(state, at, classes_, rankings_).Run();
}

Plan Schedule(const State& state, Instant at) { return Planner().Schedule(state, at); }

}  // namespace gp
