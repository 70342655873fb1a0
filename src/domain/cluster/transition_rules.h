#pragma once

// What holds before and after each event that changes the state, in words.  Decide has checked all
// of it when it made the event, so a rule that does not hold is a bug: GP_ASSERT ends the process,
// and the journal has everything up to the event.  An event without rules does not compile.

#include "base/assert.h"
#include "domain/cluster/event.h"
#include "domain/cluster/state.h"

namespace gp {

void AssertBefore(const State& state, const Event& event);
void AssertAfter(const State& state, const Event& event);

// What the rules of all events look up.  That an event names something known is a rule itself.
class TransitionRules {
 protected:
  explicit TransitionRules(const State& state) : state_(state) {}

  const Job& JobAt(JobId id) const {
    const Job* job = state_.FindJob(id);
    GP_ASSERT(job != nullptr, "an event names a known job");
    return *job;
  }
  const Node& NodeAt(NodeId id) const {
    GP_ASSERT(id.value < state_.nodes.size(), "an event names a known node");
    return state_.nodes[id.value];
  }
  const Gpu& GpuAt(NodeId node, int gpu) const {
    const Node& owner = NodeAt(node);
    GP_ASSERT(gpu >= 0 && gpu < static_cast<int>(owner.gpus.size()), "an event names a known GPU");
    return owner.gpus[static_cast<size_t>(gpu)];
  }
  void CheckState(JobId job, JobState state) const {
    GP_ASSERT(JobAt(job).state == state, "a job moves along edges of its state machine");
  }

  const State& state_;
};

}  // namespace gp
