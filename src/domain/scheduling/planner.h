#pragma once

// Decides which queued jobs start now, and where. The result is a pure function of the state and
// the time. A planner that is used again remembers its results for classes of nodes and shapes of
// jobs, and looks again only at nodes that have changed.

#include <cstdint>
#include <map>

#include "base/time.h"
#include "domain/cluster/state/state.h"
#include "domain/scheduling/node_classes.h"
#include "domain/scheduling/plan.h"
#include "domain/scheduling/rankings.h"
#include "domain/scheduling/ready_times.h"

namespace gp {

// Plans one state again and again. Not thread-safe.
class Planner {
 public:
  // REQUIRES: always the same state, as it changes.
  Plan Schedule(const State& state, Instant at);
  // The nodes as of the last plan.
  const NodeClasses& classes() const { return classes_; }
  NodeClasses& classes() { return classes_; }

 private:
  void Follow(const State& state);

  bool is_new_ = true;
  uint64_t seen_ = 0;  // State::node_changes
  NodeClasses classes_;
  Rankings rankings_;
  ReadyTimes ready_times_;
};

// Plans once, without a planner to keep.
Plan Schedule(const State& state, Instant at);

}  // namespace gp
