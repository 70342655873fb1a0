#include <functional>
#include <set>
#include <string>
#include <utility>

#include "domain/cluster/quotas/quota.h"
#include "domain/explaining/change_steps.h"

namespace gp {
namespace {

constexpr Duration kUsualLimit = Duration::Minutes(24 * 60);
constexpr size_t kQueuesTried = 64;
constexpr int kClassPriority[kClasses] = {250, 500, 750};

}  // namespace

void TryQueues(ChangeSearch& search) {
  const JobSpec& asked = search.spec();
  if (!asked.placement.reservation.empty()) return;  // a reservation is for certain queues only
  size_t tried = 0;
  const State& state = search.what_if().state();
  for (const auto& [name, queue] : state.queues.all) {
    if (name == search.job().queue || state.queues.HasChildren(name) || ++tried > kQueuesTried)
      continue;
    Job changed = search.With(asked);
    changed.queue = name;
    changed.pool = queue.pool;
    if (!search.Starts(changed)) continue;
    return search.Add(ChangeKind::kQueue, changed, "queue: " + name);
  }
}

// The longest limit with which it ends before reserved nodes are needed.
void TryTimeLimit(ChangeSearch& search) {
  const JobSpec& asked = search.spec();
  std::set<Instant, std::greater<>> times;
  for (const auto& [node, backfill] : search.what_if().plan().backfill)
    times.insert(backfill.shadow_time);
  for (const auto& [name, reservation] : search.what_if().state().reservations.all) {
    times.insert(name == asked.placement.reservation ? reservation.ends_at : reservation.starts_at);
  }
  for (const Instant time : times) {
    const int64_t minutes =
        (time - search.what_if().at() - asked.policy.grace - kEndMargin).ToSeconds() / 60;
    if (minutes < 1) return;
    // The shadow time depends on jobs without a time limit, so any limit is short enough.
    const Duration limit = time == kUnknownStart ? kUsualLimit : Duration::Minutes(minutes);
    if (search.Try(ChangeKind::kTimeLimit, "time_limit: " + ToText(limit),
                   [limit](JobSpec& spec) { spec.policy.time_limit = limit; }))
      return;
  }
}

void TryPreemptible(ChangeSearch& search) {
  const JobSpec& asked = search.spec();
  if (asked.policy.preemptible) return;
  JobSpec spec = asked;
  spec.policy.preemptible = true;
  search.TryOutranking(ChangeKind::kPreemptible, std::move(spec), "preemptible: true");
}

void TryPriority(ChangeSearch& search) {
  const JobSpec& asked = search.spec();
  for (int higher = ClassOf(asked.policy.priority) + 1; higher < kClasses; ++higher) {
    JobSpec spec = asked;
    spec.policy.priority = kClassPriority[higher];
    if (search.TryOutranking(ChangeKind::kPriority, std::move(spec),
                             "priority: " + std::to_string(kClassPriority[higher])))
      return;
  }
}

}  // namespace gp
