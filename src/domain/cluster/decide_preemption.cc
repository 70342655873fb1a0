#include "domain/cluster/decide_parts.h"
#include "domain/cluster/preemption.h"

namespace gp {

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
  return Events{JobPreemptionOrdered{command.pass, victim->id, by->id}};
}

}  // namespace gp
