#pragma once

// The rules of each event, as transition_rules.h has them, in the assert_*.cc of its subject.

#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

// For each event an overload for what holds before it, and one for what holds after it; the linker
// names one that is missing.
#define GP_ASSERTED(Name, ...)                             \
  void CheckBefore(const State& state, const Name& event); \
  void CheckAfter(const State& state, const Name& event);
GP_EVENTS(GP_ASSERTED)
#undef GP_ASSERTED

// What an event names.  That it is known is a rule itself.
const Job& JobIn(const State& state, JobId id);
const Node& NodeIn(const State& state, NodeId id);
const Gpu& GpuIn(const State& state, NodeId node, int gpu);
// The rule that the job is in this state.
void CheckJobState(const State& state, JobId job, JobState expected);

}  // namespace gp
