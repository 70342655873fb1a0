#include "domain/explaining/cost.h"

#include <algorithm>

#include "domain/cluster/quotas/quota.h"

namespace gp {
namespace {

constexpr int64_t kHourOfGpu = int64_t{3'600'000} * kWholeShare;

void TakeLengths(const Lengths& lengths, const Job& job, Cost& cost) {
  const Duration limit = job.spec->policy.time_limit;
  const AlikeRuns* alike = lengths.Alike(job);
  if (alike == nullptr) {
    cost.source = limit.ns == 0 ? LengthSource::kNothing : LengthSource::kTimeLimit;
    cost.shortest = cost.median = cost.longest = limit;
    return;
  }
  cost.source = LengthSource::kPast;
  const auto at = [&](size_t percent) {
    const Duration length = alike->runs[alike->runs.size() * percent / 100].first;
    return limit.ns == 0 ? length : std::min(length, limit);
  };
  cost.shortest = at(10);
  cost.median = at(50);
  cost.longest = at(90);
}

std::vector<Allowance> Allowances(const State& state, Instant at, const Job& job) {
  std::vector<Allowance> allowances;
  for (const std::string& path : PathsTo(job.queue)) {
    const Queue& queue = state.queues.all.at(path);
    const auto add = [&](const std::string& user, const Quota& limit) {
      if (limit.gpu_hours)
        allowances.push_back({path, user, AccountAt(state, {path, user}, at).period_use,
                              *limit.gpu_hours * kHourOfGpu});
    };
    add("", queue.limit);
    add(job.user.name, queue.user_limit);
  }
  return allowances;
}

// In tenths, rounded up, so that a small amount is never shown as zero.
std::string Hours(int64_t share, Duration length) {
  constexpr int64_t kTenth = int64_t{360} * kWholeShare;
  const int64_t tenths = (share * length.ToSeconds() + kTenth - 1) / kTenth;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string Tell(const Cost& cost, size_t alike) {
  if (cost.share == 0) return "no GPUs";
  const std::string past = std::to_string(alike) + " finished jobs like it";
  switch (cost.source) {
    case LengthSource::kNothing:
      return "not known: it has no time limit, and nothing like it has finished yet";
    case LengthSource::kTimeLimit:
      return "at most " + Hours(cost.share, cost.longest) +
             " GPU-hours, if it runs to its time limit";
    case LengthSource::kPast: break;
  }
  return Hours(cost.share, cost.shortest) + " to " + Hours(cost.share, cost.longest) +
         " GPU-hours (median " + Hours(cost.share, cost.median) + "), from " + past;
}

}  // namespace

Cost CostOf(const State& state, const Lengths& lengths, Instant at, const Job& job) {
  Cost cost;
  cost.share = AskOf(state, job).share;
  TakeLengths(lengths, job, cost);
  cost.allowances = Allowances(state, at, job);
  const AlikeRuns* alike = lengths.Alike(job);
  cost.text = Tell(cost, alike == nullptr ? 0 : alike->runs.size());
  return cost;
}

}  // namespace gp
