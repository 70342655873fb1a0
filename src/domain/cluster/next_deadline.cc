#include "domain/cluster/next_deadline.h"

#include <algorithm>

#include "domain/cluster/nodes/faults.h"
#include "domain/cluster/quotas/wait_targets.h"
#include "domain/cluster/retention.h"

namespace gp {

Instant NextDeadline(const State& state) {
  Instant next{0};
  const auto consider = [&next](const auto& due) {
    if (due.empty()) return;
    const Instant at = due.begin()->first;
    if (next.ns == 0 || at < next) next = at;
  };
  consider(state.jobs.retries);
  consider(state.jobs.limits);
  consider(state.jobs.limit_notices);
  consider(state.nodes.losses);
  consider(state.reservations.ends);
  consider(state.faults.incident_ends);
  if (!state.access.token_ends.empty()) {
    const Instant at = InstantOf(state.time, state.access.token_ends.begin()->first);
    if (next.ns == 0 || at < next) next = at;
  }
  consider(state.jobs.maintenance_stops);
  if (const auto due = NextForgetting(state); due && (next.ns == 0 || *due < next)) next = *due;
  if (const auto verdict = NextWaitVerdict(state); verdict && (next.ns == 0 || *verdict < next))
    next = *verdict;
  for (const auto& [key, at] : state.nodes.drain_deadlines) {
    if (next.ns == 0 || at < next) next = at;
  }
  const bool is_remedy_ready = std::ranges::any_of(
      state.faults.remedies, [&](const GpuKey& key) { return IsRemedyReady(state, key); });
  if (!state.jobs.decided.empty() || is_remedy_ready) next = Instant{1};  // at once
  return next;
}

}  // namespace gp
