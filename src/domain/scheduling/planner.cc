#include "domain/scheduling/planner.h"

#include <utility>

#include "domain/scheduling/pass/pass.h"

namespace gp {
namespace {

// Above these sizes the planner drops what it remembers; it can be computed again.
constexpr size_t kClassesMax = 20'000;
constexpr size_t kRankingsMax = 16'384;

}  // namespace

void Planner::Follow(const State& state) {
  rankings_.Follow(state.policy.placement);
  if (classes_.size() > kClassesMax || rankings_.size() > kRankingsMax) {
    classes_ = {};
    rankings_.Clear();
    ready_times_.Clear();
    is_new_ = true;
  }
  if (is_new_) {
    for (const Node& node : state.nodes.all) classes_.Place(node);
  } else {
    const auto first = state.nodes.by_change.upper_bound({seen_, NodeId{~uint32_t{0}}});
    for (auto change = first; change != state.nodes.by_change.end(); ++change) {
      classes_.Place(*state.FindNode(change->second));
      ready_times_.Forget(change->second);
    }
  }
  is_new_ = false;
  seen_ = state.nodes.changes;
}

Plan Planner::Schedule(const State& state, Instant at) {
  Follow(state);
  return MakePlan({state, at, classes_, rankings_, ready_times_});
}

Plan Schedule(const State& state, Instant at) { return Planner().Schedule(state, at); }

}  // namespace gp
