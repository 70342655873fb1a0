#include "adapters/inbound/metrics/queue_gauges.h"

#include <algorithm>
#include <iterator>

#include "base/units.h"
#include "domain/cluster/quotas/wait_targets.h"

namespace gp {
namespace {

SeriesValues Waiting(const State& state) {
  std::map<std::string, int64_t> counts;
  for (const auto& [name, queue] : state.queues.all) counts[name] = 0;
  for (const auto& [equivalence_class, jobs] : state.jobs.equivalence_classes) {
    for (const std::string& path : PathsTo(equivalence_class.queue))
      counts[path] += static_cast<int64_t>(jobs.size());
  }
  SeriesValues values;
  for (const auto& [name, count] : counts) values[{{"queue", name}}] = static_cast<double>(count);
  return values;
}

SeriesValues OldestSince(const State& state) {
  if (state.jobs.queued.empty()) return {};
  Instant oldest = state.FindJob(*state.jobs.queued.begin())->queued_at;
  for (const JobId id : state.jobs.queued) oldest = std::min(oldest, state.FindJob(id)->queued_at);
  return {{{}, static_cast<double>(WallOf(state.time, oldest).ns) / 1e9}};
}

// Of queues with a target in force; jobs count for their own queue alone.
std::vector<MetricFamily> WaitFamilies(const State& state, Instant now) {
  SeriesValues targets, late, started, in_target;
  for (const auto& [name, target] : state.queues.wait_targets) {
    if (state.queues.HasChildren(name)) continue;
    const Labels labels{{"queue", name}};
    const auto record = state.queues.waits.find(name);
    const WaitCount count = record == state.queues.waits.end() ? WaitCount{} : record->second.total;
    targets[labels] = SecondsOf(target);
    late[labels] = static_cast<double>(CountLateJobs(state, name, now));
    started[labels] = static_cast<double>(count.started);
    in_target[labels] = static_cast<double>(count.in_target);
  }
  constexpr auto kGauge = MetricType::kGauge;
  constexpr auto kCounter = MetricType::kCounter;
  return {Family("gpu_platform_queue_wait_target_seconds",
                 "How soon jobs of the queue should start; absent: no target", kGauge, targets),
          Family("gpu_platform_queue_jobs_late",
                 "Jobs that have waited for the target or longer and have not started yet", kGauge,
                 late),
          Family("gpu_platform_queue_job_starts_total",
                 "Jobs that started for the first time, since the queue has a target", kCounter,
                 started),
          Family("gpu_platform_queue_job_starts_in_target_total",
                 "Of these, jobs that waited for less than the target", kCounter, in_target)};
}

}  // namespace

std::vector<MetricFamily> QueueGauges(const State& state, Instant now) {
  constexpr auto kGauge = MetricType::kGauge;
  SeriesValues running;
  SeriesValues held;
  SeriesValues guaranteed;
  SeriesValues limit;
  for (const auto& [name, queue] : state.queues.all) {
    const auto account = state.queues.accounts.find({name, ""});
    const Holding holding =
        account == state.queues.accounts.end() ? Holding{} : account->second.held;
    const Labels labels{{"queue", name}, {"pool", queue.pool}};
    running[labels] = static_cast<double>(holding.jobs);
    held[labels] = static_cast<double>(holding.share) / kWholeShare;
    guaranteed[labels] = static_cast<double>(queue.guaranteed);
    if (queue.limit.gpus) limit[labels] = static_cast<double>(*queue.limit.gpus);
  }
  std::vector<MetricFamily> families{
      Family("gpu_platform_queue_jobs_waiting", "Pending jobs of the queue and queues below it",
             kGauge, Waiting(state)),
      Family("gpu_platform_queue_jobs_running", "Running jobs of the queue and queues below it",
             kGauge, running),
      Family("gpu_platform_queue_gpus_held",
             "GPUs that these jobs hold; a part of a GPU counts as that part", kGauge, held),
      Family("gpu_platform_queue_gpus_guaranteed", "GPUs that the queue is guaranteed", kGauge,
             guaranteed),
      Family("gpu_platform_queue_gpus_limit", "GPUs that the queue may hold; absent: no limit",
             kGauge, limit),
      Family("gpu_platform_oldest_waiting_job_queued_timestamp_seconds",
             "When the job that has waited longest was queued; absent: none waits", kGauge,
             OldestSince(state))};
  std::ranges::move(WaitFamilies(state, now), std::back_inserter(families));
  return families;
}

}  // namespace gp
