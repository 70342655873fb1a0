#include "domain/cluster/apply/transition_rules.h"

#include "base/assert.h"
#include "domain/cluster/apply/assert_parts.h"

namespace gp {

const Job& JobIn(const State& state, JobId id) {
  const Job* job = state.FindJob(id);
  GP_ASSERT(job != nullptr, "an event names a known job");
  return *job;
}

const Node& NodeIn(const State& state, NodeId id) {
  GP_ASSERT(id.value < state.nodes.all.size(), "an event names a known node");
  return state.nodes.all[id.value];
}

const Gpu& GpuIn(const State& state, NodeId node, int gpu) {
  const Node& owner = NodeIn(state, node);
  GP_ASSERT(gpu >= 0 && gpu < static_cast<int>(owner.gpus.size()), "an event names a known GPU");
  return owner.gpus[static_cast<size_t>(gpu)];
}

void CheckJobState(const State& state, JobId job, JobState expected) {
  GP_ASSERT(JobIn(state, job).state == expected, "a job moves along edges of its state machine");
}

void AssertBefore(const State& state, const Event& event) {
  std::visit([&state](const auto& one) { CheckBefore(state, one); }, event);
}

void AssertAfter(const State& state, const Event& event) {
  std::visit([&state](const auto& one) { CheckAfter(state, one); }, event);
}

}  // namespace gp
