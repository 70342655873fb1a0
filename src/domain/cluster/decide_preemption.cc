#include <set>

#include "domain/cluster/decide_parts.h"
#include "domain/cluster/preemption.h"

namespace gp {
namespace {

Status CheckNodes(const State& state, const Job& by, const std::vector<NodeId>& nodes) {
  const std::set<NodeId> distinct(nodes.begin(), nodes.end());
  const bool known = distinct.empty() || distinct.rbegin()->value < state.nodes.size();
  if (known && distinct.size() == nodes.size() && static_cast<int>(nodes.size()) == by.spec->nodes) return Ok();
  return Fail(Conflict(ToText(by.id) + " needs " + std::to_string(by.spec->nodes) + " different nodes that exist"));
}

}  // namespace

Result<Events> DecidePreemption(const State& state, Instant at, const PreemptJob& command) {
  const Job* victim = state.FindJob(command.job);
  const Job* by = state.FindJob(command.by);
  if (victim == nullptr || by == nullptr) return Fail(NotFound("no job " + ToText(victim == nullptr ? command.job : command.by)));
  if (by->state != JobState::kQueued) {
    return Fail(Conflict(ToText(by->id) + " is " + Name(by->state) + ": nothing is interrupted for it"));
  }
  if (!IsInterruptible(*victim, state.policy, at)) {
    return Fail(Conflict(ToText(victim->id) + " (" + Name(victim->state) +
                         ") may not be interrupted: it must be preemptible, run for min_run, and not be stopping"));
  }
  if (!Outranks(StandingOf(*by, at), StandingOf(*victim, at))) {
    return Fail(Conflict(ToText(by->id) + " does not outrank " + ToText(victim->id)));
  }
  GP_CHECK_OK(CheckNodes(state, *by, command.nodes));
  return Events{JobPreemptionOrdered{command.pass, victim->id, by->id, command.nodes}};
}

}  // namespace gp
