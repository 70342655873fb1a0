#include "domain/scheduling/planner.h"

#include "domain/placement/place_gang.h"
#include "domain/scheduling/scratch_nodes.h"

namespace gp {
namespace {

// What is remembered is given up where it would grow beyond this: it can be worked out again.
constexpr size_t kClassesMax = 20'000;
constexpr size_t kRankingsMax = 4'096;

// One pass over the queue.  What it plans it holds on scratch copies of nodes, which stand in their
// classes for as long as the pass lasts.
class Pass {
 public:
  Pass(const State& state, Instant at, NodeClasses& classes, std::map<JobShape, ShapeRanking>& rankings)
      : state_(state), at_(at), classes_(classes), rankings_(rankings), nodes_(state) {
    for (const auto& [shape, line] : state.lines) heads_.insert({*line.begin(), &shape});
  }
  ~Pass() {
    for (const NodeId id : nodes_.Touched()) classes_.Place(*state_.FindNode(id));
  }

  Plan Run() {
    Plan plan;
    while (!heads_.empty()) {
      const auto [key, shape] = *heads_.begin();
      heads_.erase(heads_.begin());
      const Job& job = *state_.FindJob(key.job);
      ShapeRanking& ranking = rankings_[*shape];
      if (const auto pick = ranking.Find(classes_, job, reserved_)) {
        plan.placements.push_back(Hold(job, *pick));
        const auto& line = state_.lines.at(*shape);
        const auto next = line.upper_bound(key);
        if (next != line.end()) heads_.insert({*next, shape});
      } else if (reserved_.empty() && at_ - job.queued_at >= state_.policy.reserve_after) {
        // It waited too long: the emptiest nodes that could hold it fill no further.  Where those in
        // service cannot hold it even when empty, it keeps nothing from others.
        for (const NodeId id : ranking.FindEmptied(classes_, job)) reserved_.insert(id);
      }
    }
    return plan;
  }

 private:
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
  std::set<NodeId> reserved_;
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
