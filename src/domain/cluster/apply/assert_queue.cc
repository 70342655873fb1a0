#include "base/assert.h"
#include "domain/cluster/apply/assert_parts.h"

namespace gp {

void CheckBefore(const State&, const QueueChanged& event) {
  GP_ASSERT(!event.queue.name.empty(), "a queue has a name");
}
void CheckAfter(const State& state, const QueueChanged& event) {
  GP_ASSERT(state.queues.all.contains(event.queue.name), "a queue that changed is known");
}

void CheckBefore(const State& state, const QueueDeleted& event) {
  GP_ASSERT(state.queues.all.contains(event.name), "only a known queue is deleted");
}
void CheckAfter(const State& state, const QueueDeleted& event) {
  GP_ASSERT(!state.queues.all.contains(event.name), "a deleted queue is unknown");
}

void CheckBefore(const State&, const NodesReserved& event) {
  GP_ASSERT(event.reservation.ends_at > event.reservation.starts_at,
            "a reservation ends after it starts");
}
void CheckAfter(const State& state, const NodesReserved& event) {
  GP_ASSERT(state.reservations.all.contains(event.reservation.name), "a reservation is known");
  GP_ASSERT(state.reservations.ends.contains({event.reservation.ends_at, event.reservation.name}),
            "each reservation has its end");
}

void CheckBefore(const State& state, const ReservationEnded& event) {
  GP_ASSERT(state.reservations.all.contains(event.name), "only a known reservation ends");
}
void CheckAfter(const State& state, const ReservationEnded& event) {
  GP_ASSERT(!state.reservations.all.contains(event.name), "a reservation ends once");
}

void CheckBefore(const State&, const BudgetChanged&) {}
void CheckAfter(const State& state, const BudgetChanged& event) {
  GP_ASSERT(state.queues.budgets.contains(event.key), "a budget that changed is known");
}

void CheckBefore(const State& state, const WaitTargetMissed& event) {
  GP_ASSERT(state.queues.WaitTargetOf(event.queue).ns != 0, "a target that is missed is in force");
  const Job* job = state.FindJob(event.job);
  GP_ASSERT(job != nullptr && job->state == JobState::kQueued && job->attempts.empty(),
            "a job misses a target while it waits for its first start");
}
void CheckAfter(const State& state, const WaitTargetMissed& event) {
  GP_ASSERT(state.queues.waits.at(event.queue).missed_at.ns != 0, "a missed target is recorded");
}

void CheckBefore(const State& state, const WaitTargetMet& event) {
  const auto record = state.queues.waits.find(event.queue);
  GP_ASSERT(record != state.queues.waits.end() && record->second.missed_at.ns != 0,
            "only a missed target is met again");
}
void CheckAfter(const State& state, const WaitTargetMet& event) {
  GP_ASSERT(state.queues.waits.at(event.queue).missed_at.ns == 0, "a met target is not missed");
}

void CheckBefore(const State& state, const BudgetDeleted& event) {
  GP_ASSERT(state.queues.budgets.contains(event.key), "only a known budget is deleted");
}
void CheckAfter(const State& state, const BudgetDeleted& event) {
  GP_ASSERT(!state.queues.budgets.contains(event.key), "a deleted budget is unknown");
}

void CheckBefore(const State&, const BudgetLevelChanged& event) {
  GP_ASSERT(event.level.warned >= 0, "a budget is warned of at a percentage");
}
void CheckAfter(const State& state, const BudgetLevelChanged& event) {
  const bool has_level = event.level.warned != 0 || event.level.is_used_up;
  GP_ASSERT(state.queues.budget_levels.contains(event.who) == has_level,
            "a budget has a level once one was reached");
}

}  // namespace gp
