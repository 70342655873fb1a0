#include "domain/cluster/check/invariant_parts.h"

#include <map>
#include <string>
#include <utility>

#include "domain/cluster/metering.h"

namespace gp {
namespace {

using Rates = std::map<UsageKey, int64_t>;

Rates SharesOf(const UsageMeter& meter) {
  Rates shares;
  for (const auto& [row, rate] : meter.rates) shares[row] = rate.share;
  return shares;
}

void CheckRates(const State& state, Violations& found) {
  Rates used, installed;
  for (const Node& node : state.nodes.all) {
    for (size_t i = 0; i < node.gpus.size(); ++i) {
      const int gpu = static_cast<int>(i);
      if (IsRetired(*node.facts, gpu)) continue;
      for (const UsagePart& part : DivisionOf(state, node, gpu))
        used[RowOf(state, node, gpu, part)] += part.share;
      installed[InstalledRowOf(node, gpu)] += kWholeShare;
      if (node.gpus[i].price_micros != PriceOf(state.policy.prices, node, gpu).micros)
        found.push_back(
            {"I12", node.facts->gpus[i].uuid + ": its price is not what the policy says"});
    }
  }
  if (used != SharesOf(state.metering.used))
    found.push_back({"I12", "rates differ from the division of the GPUs"});
  if (installed != SharesOf(state.metering.installed))
    found.push_back({"I12", "rates differ from the installed GPUs"});
}

// One day, pool and model.
using DayKey = std::pair<int64_t, std::pair<std::string, std::string>>;

DayKey DayOf(const UsageKey& row) { return {row.day, {row.pool, row.model}}; }

void CheckDays(const UsageLedger& used, const UsageLedger& installed, Violations& found) {
  std::map<DayKey, GpuTime> left;
  for (const auto& [row, time] : installed.rows) left[DayOf(row)] += time;
  for (const auto& [row, time] : used.rows) {
    left[DayOf(row)] += -time;
    if (time.units < 0)
      found.push_back({"I12", "negative time of " + std::string(Name(row.kind)) + " on day " +
                                  std::to_string(row.day)});
  }
  for (const auto& [day, time] : left) {
    if (time.units != 0)
      found.push_back({"I12", "the time of " + day.second.second + " in pool " + day.second.first +
                                  " on day " + std::to_string(day.first) + " does not add up"});
  }
}

void CheckJobs(const State& state, const UsageLedger& ledger, Violations& found) {
  JobUse all = state.metering.forgotten;
  for (const auto& [id, job] : state.jobs.all) {
    const JobUse use = UseOf(state, job, state.metering.now);
    all.time += use.time;
    all.money += use.money;
    all.repeated += use.repeated;
    all.repeated_money += use.repeated_money;
  }
  for (const auto& [row, time] : ledger.rows) {
    const Money money(time, row.price);
    if (row.kind == UsageKind::kJobs) {
      all.time += -time;
      all.money += -money;
    } else if (row.kind == UsageKind::kRepeated) {
      all.repeated += -time;
      all.repeated_money += -money;
    }
  }
  const bool is_even = all.time == GpuTime{} && all.money == Money{} && all.repeated == GpuTime{} &&
                       all.repeated_money == Money{};
  if (!is_even) found.push_back({"I12", "the time of jobs differs from the usage ledger"});
  for (const auto& [id, use] : state.metering.jobs) {
    if (!state.jobs.all.contains(id))
      found.push_back({"I12", "use of " + ToText(id) + ", which is not there"});
  }
}

}  // namespace

void CheckMetering(const State& state, Violations& found) {
  CheckRates(state, found);
  const UsageLedger used = state.metering.used.LedgerAt(state.metering.now);
  CheckDays(used, state.metering.installed.LedgerAt(state.metering.now), found);
  CheckJobs(state, used, found);
}

}  // namespace gp
