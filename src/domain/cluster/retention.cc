#include "domain/cluster/retention.h"

#include "domain/cluster/dependencies.h"

namespace gp {

std::vector<JobId> FindForgettable(const State& state, int64_t most, Instant ended_by) {
  std::vector<JobId> found;
  int64_t may_look_at = most + static_cast<int64_t>(kDependenciesMax);
  for (auto oldest = state.jobs.finished.begin();
       oldest != state.jobs.finished.end() && oldest->first <= ended_by; ++oldest) {
    if (may_look_at-- <= 0 || static_cast<int64_t>(found.size()) >= most) break;
    if (!IsWaitedFor(state, *state.FindJob(oldest->second))) found.push_back(oldest->second);
  }
  return found;
}

std::optional<Instant> NextForgetting(const State& state) {
  if (state.policy.jobs_kept_for.ns == 0) return std::nullopt;
  const std::vector<JobId> oldest = FindForgettable(state, 1, kNever);
  if (oldest.empty()) return std::nullopt;
  return state.FindJob(oldest.front())->ended_at + state.policy.jobs_kept_for;
}

}  // namespace gp
