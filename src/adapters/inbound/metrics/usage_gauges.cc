#include "adapters/inbound/metrics/usage_gauges.h"

#include <algorithm>
#include <string>

#include "domain/cluster/quotas/budgets.h"

namespace gp {
namespace {

constexpr double kPerCent = 100;

SeriesValues GpusByKind(const State& state) {
  SeriesValues values;
  for (const auto& [row, rate] : state.metering.used.rates)
    values[{{"pool", row.pool}, {"kind", Name(row.kind)}}] +=
        static_cast<double>(rate.share) / kWholeShare;
  return values;
}

// A budget of each user shows the user who has used most: one series, however many users.
BudgetStanding WorstOf(const State& state, const BudgetKey& key, Instant now) {
  BudgetStanding worst;
  for (const auto& [user, one] : StandingsOf(state, key, now)) {
    if (one.standing.per_cent >= worst.per_cent) worst = one.standing;
  }
  return worst;
}

}  // namespace

std::vector<MetricFamily> UsageGauges(const State& state, Instant now) {
  constexpr auto kGauge = MetricType::kGauge;
  SeriesValues used, expected;
  for (const auto& [key, budget] : state.queues.budgets) {
    const Labels labels{{"queue", key.queue}, {"user", key.user}, {"pool", key.pool}};
    const BudgetStanding standing = WorstOf(state, key, now);
    used[labels] = standing.per_cent / kPerCent;
    expected[labels] = standing.expected_per_cent / kPerCent;
  }
  return {
      Family("gpu_platform_gpus_by_use",
             "GPUs by the current kind of use; a part of a GPU counts as that part", kGauge,
             GpusByKind(state)),
      Family(
          "gpu_platform_budget_used_ratio",
          "The part of a budget used this month; budgets of each user: by the user with the most",
          kGauge, used),
      Family("gpu_platform_budget_expected_ratio",
             "The part used at the end of the month, if use goes on as in the last seven days",
             kGauge, expected)};
}

}  // namespace gp
