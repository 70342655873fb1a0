#include "domain/cluster/quotas/queue_rules.h"

#include "base/text.h"
#include "domain/cluster/quotas/holdings.h"

namespace gp {

QueueTime MaxTimeOf(const State& state, const std::string& queue) {
  QueueTime least;
  for (const std::string& path : PathsTo(queue)) {
    const Duration own = state.queues.all.at(path).max_time;
    if (own.ns != 0 && (least.time.ns == 0 || own < least.time)) least = {own, path};
  }
  return least;
}

QueueTime DefaultTimeOf(const State& state, const std::string& queue) {
  QueueTime nearest;
  for (const std::string& path : PathsTo(queue)) {
    const Duration own = state.queues.all.at(path).default_time;
    if (own.ns != 0) nearest = {own, path};
  }
  QueueTime most = MaxTimeOf(state, queue);
  const bool is_within = most.time.ns == 0 || (nearest.time.ns != 0 && nearest.time <= most.time);
  return is_within ? nearest : most;
}

Status CheckMaxTime(const State& state, const std::string& queue, Duration time_limit) {
  const QueueTime most = MaxTimeOf(state, queue);
  if (most.time.ns == 0 || time_limit <= most.time) return Ok();
  return Fail(InvalidArgument("time_limit: jobs of queue " + most.queue + " may run for " +
                              ToText(most.time) + " at most"));
}

QueueMinimum MinGpusOf(const State& state, const std::string& queue) {
  QueueMinimum most;
  for (const std::string& path : PathsTo(queue)) {
    const int64_t own = state.queues.all.at(path).min_gpus;
    if (own > most.gpus) most = {own, path};
  }
  return most;
}

Status CheckMinGpus(const State& state, const std::string& queue, int64_t share) {
  const QueueMinimum least = MinGpusOf(state, queue);
  if (share >= least.gpus * kWholeShare) return Ok();
  return Fail(InvalidArgument("gpus: a job of queue " + least.queue + " uses at least " +
                              Count(least.gpus, "GPU")));
}

std::string QueueWithoutNetwork(const State& state, const std::string& queue) {
  for (const std::string& path : PathsTo(queue)) {
    if (state.queues.all.at(path).network == NetworkAccess::kNone) return path;
  }
  return "";
}

std::shared_ptr<const JobSpec> WithNetworkOf(const State& state, const std::string& queue,
                                             const std::shared_ptr<const JobSpec>& spec) {
  const bool has_network = spec->program.network != NetworkAccess::kNone;
  if (!has_network || QueueWithoutNetwork(state, queue).empty()) return spec;
  JobSpec without_network = *spec;
  without_network.program.network = NetworkAccess::kNone;
  return std::make_shared<const JobSpec>(std::move(without_network));
}

Status CheckNetwork(const State& state, const std::string& queue, const JobSpec& spec) {
  const std::string without = QueueWithoutNetwork(state, queue);
  if (without.empty() || !MayHaveSeveralNodes(spec)) return Ok();
  return Fail(InvalidArgument("network: jobs of queue " + without +
                              " have no network, so they must run on one node"));
}

}  // namespace gp
