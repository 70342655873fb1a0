#include "domain/cluster/apply/apply_parts.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/quotas/quota.h"

namespace gp {

void ApplyEvent(State& state, Instant at, const QueueChanged& event) {
  const bool known = state.queues.all.contains(event.queue.name);
  const bool firmness_changes =
      known && state.queues.all.at(event.queue.name).reclaimable != event.queue.reclaimable;
  state.queues.all[event.queue.name] = event.queue;
  if (event.queue.wait_target.ns != 0 || !state.queues.wait_targets.empty())
    state.queues.IndexWaitTargets();
  if (!firmness_changes) return;
  for (auto& [id, account] : state.queues.accounts) Settle(account, at, MeterOf(state.policy));
  CountHoldingsAgain(state);
}

void ApplyEvent(State& state, Instant, const QueueDeleted& event) {
  state.queues.all.erase(event.name);
  std::erase_if(state.queues.accounts,
                [&](const auto& one) { return one.first.queue == event.name; });
  if (!state.queues.wait_targets.empty()) state.queues.IndexWaitTargets();
}

void ApplyEvent(State& state, Instant at, const WaitTargetMissed& event) {
  state.queues.waits[event.queue].missed_at = at;
}

void ApplyEvent(State& state, Instant, const WaitTargetMet& event) {
  state.queues.waits[event.queue].missed_at = Instant{};
}

void ApplyEvent(State& state, Instant, const BudgetChanged& event) {
  state.queues.budgets[event.key] = event.budget;
}

void ApplyEvent(State& state, Instant, const BudgetDeleted& event) {
  state.queues.budgets.erase(event.key);
  std::erase_if(state.queues.budget_levels,
                [&](const auto& one) { return one.first.key == event.key; });
}

void ApplyEvent(State& state, Instant, const BudgetLevelChanged& event) {
  if (event.level.warned == 0 && !event.level.is_used_up) {
    state.queues.budget_levels.erase(event.who);
  } else {
    state.queues.budget_levels[event.who] = event.level;
  }
}

void ApplyEvent(State& state, Instant at, const JobPriorityChanged& event) {
  Job& job = JobOf(state, event.job);
  const Holding held = HoldingOf(state, job);
  const bool is_queued = job.state == JobState::kQueued;
  if (is_queued) state.jobs.Dequeue(job);
  Charge(state, at, job, -held);
  state.jobs.IndexEvictable(job, false);
  const auto change = [&event](std::shared_ptr<const JobSpec>& spec) {
    JobSpec changed = *spec;
    changed.policy.priority = event.priority;
    spec = std::make_shared<const JobSpec>(std::move(changed));
  };
  change(job.spec);
  if (job.submitted_spec) change(*job.submitted_spec);
  Charge(state, at, job, held);
  state.jobs.IndexEvictable(job, IsEvictable(job));
  if (is_queued) state.jobs.Enqueue(job);
}

}  // namespace gp
