#include "tests/property/metering/plain_meter.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gp {
namespace {

// Rounded up, as a grant of memory counts.
int ShareOf(const GpuGrant& grant, int64_t memory_mib) {
  int by_memory = 0;
  while (by_memory < 1'000 && by_memory * memory_mib < grant.memory_mib * 1'000) ++by_memory;
  return std::max(grant.share, by_memory);
}

// The first rule that names the GPU.
int64_t PriceOf(const State& state, const Node& node, size_t gpu) {
  for (const PriceRule& rule : state.policy.prices.rules) {
    const auto label = node.labels.find(rule.label_name);
    const bool has_label = rule.label_name.empty() ||
                           (label != node.labels.end() && label->second == rule.label_value);
    if (has_label && node.facts->gpus[gpu].model.contains(rule.model))
      return rule.per_gpu_hour.micros + state.policy.prices.micros_per_kwh * rule.watts / 1'000;
  }
  return 0;
}

UsageKind KindOfRest(const Node& node, const Gpu& gpu) {
  if (node.condition == NodeCondition::kLost) return UsageKind::kFaulty;
  if (gpu.condition == GpuCondition::kOffline) return UsageKind::kMaintained;
  if (gpu.condition != GpuCondition::kAvailable) return UsageKind::kFaulty;
  if (gpu.draining || node.draining) return UsageKind::kMaintained;
  return gpu.leases.empty() ? UsageKind::kIdle : UsageKind::kFragment;
}

}  // namespace

void PlainMeter::CountGpu(const State& state, const Node& node, size_t gpu, int64_t milliseconds) {
  std::vector<std::pair<JobId, int>> claims;
  int sum = 0;
  for (const LeaseId id : node.gpus[gpu].leases) {
    const Lease& lease = *state.FindLease(id);
    for (const GpuGrant& grant : lease.gpus) {
      if (grant.gpu != static_cast<int>(gpu)) continue;
      claims.emplace_back(lease.job, ShareOf(grant, node.facts->gpus[gpu].memory_mib));
      sum += claims.back().second;
    }
  }
  int left = 1'000;
  if (sum > 1'000) {
    for (auto& [job, share] : claims) share = share * 1'000 / sum;
    for (const auto& [job, share] : claims) left -= share;
    for (size_t i = 0; left > 0; ++i, --left) ++claims[i].second;
  } else {
    left -= sum;
  }
  const int64_t price = PriceOf(state, node, gpu);
  all_.Add(Wide{1'000} * milliseconds, price);
  kinds_[KindOfRest(node, node.gpus[gpu])].Add(Wide{left} * milliseconds, price);
  for (const auto& [id, share] : claims) {
    PlainJob& job = jobs_[id];
    job.had.Add(Wide{share} * milliseconds, price);
    job.unsaved.Add(Wide{share} * milliseconds, price);
    kinds_[UsageKind::kJobs].Add(Wide{share} * milliseconds, price);
  }
}

void PlainMeter::Count(const State& state, Instant from, Instant until) {
  const int64_t milliseconds = until.ns / 1'000'000 - from.ns / 1'000'000;
  for (const Node& node : state.nodes.all) {
    for (size_t gpu = 0; gpu < node.gpus.size(); ++gpu) CountGpu(state, node, gpu, milliseconds);
  }
}

void PlainMeter::End(JobId id, EndClass end) {
  PlainJob& job = jobs_[id];
  const PlainUse lost = std::exchange(job.unsaved, {});
  if (ChargeOf(end) != EndCharge::kHardware && ChargeOf(end) != EndCharge::kPlatform) return;
  const auto move = [&](PlainUse& from, PlainUse& to) {
    from.time -= lost.time;
    from.money -= lost.money;
    to.time += lost.time;
    to.money += lost.money;
  };
  move(job.had, job.repeated);
  move(kinds_[UsageKind::kJobs], kinds_[UsageKind::kRepeated]);
}

void PlainMeter::Hear(const std::vector<Event>& events) {
  for (const Event& event : events) {
    if (const auto* saved = std::get_if<CheckpointSaved>(&event);
        saved != nullptr && saved->checkpoint.is_complete)
      jobs_[saved->job].unsaved = {};
    if (const auto* requeued = std::get_if<JobRequeued>(&event)) End(requeued->job, requeued->end);
    if (const auto* ended = std::get_if<JobEnded>(&event)) End(ended->job, ended->end);
  }
}

}  // namespace gp
