#include "adapters/inbound/metrics/queue_gauges.h"

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

}  // namespace

std::vector<MetricFamily> QueueGauges(const State& state) {
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
  return {Family("gpu_platform_queue_jobs_waiting", "Pending jobs of the queue and queues below it",
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
}

}  // namespace gp
