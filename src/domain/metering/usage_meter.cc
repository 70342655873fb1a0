#include "domain/metering/usage_meter.h"

#include <utility>

#include "domain/metering/days.h"

namespace gp {
namespace {

UsageKey RepeatedOf(UsageKey row) {
  row.kind = UsageKind::kRepeated;
  return row;
}

}  // namespace

void UsageMeter::Change(const UsageKey& row, int64_t share, Instant now) {
  const auto [rate, is_new] = rates.try_emplace(row, UsageRate{0, now});
  ledger.Add(row, rate->second.since + wall, now + wall, rate->second.share);
  rate->second.since = now;
  rate->second.share += share;
  if (rate->second.share == 0) rates.erase(rate);
}

void UsageMeter::Settle(Instant now) {
  for (auto& [row, rate] : rates) {
    ledger.Add(row, rate.since + wall, now + wall, rate.share);
    rate.since = now;
  }
}

UsageLedger UsageMeter::LedgerAt(Instant now) const {
  UsageLedger until_now = ledger;
  for (const auto& [row, rate] : rates)
    until_now.Add(row, rate.since + wall, now + wall, rate.share);
  return until_now;
}

void AddUse(JobUse& use, const UsageKey& row, int64_t share, Instant from, Instant until) {
  const GpuTime time{Wide{share} * MillisecondsBetween(from, until)};
  use.time += time;
  use.money += Money(time, row.price);
  UsageKey key = row;
  ForEachDay(from, until, [&](int64_t day, int64_t milliseconds) {
    key.day = day;
    if (milliseconds > 0) use.unsaved[key] += GpuTime{Wide{share} * milliseconds};
  });
}

void ForgiveUnsaved(JobUse& use, UsageLedger& ledger) {
  for (const auto& [row, time] : use.unsaved) {
    const Money money(time, row.price);
    use.time += -time;
    use.money += -money;
    use.repeated += time;
    use.repeated_money += money;
    ledger.Add(row, -time);
    ledger.Add(RepeatedOf(row), time);
  }
  use.unsaved.clear();
}

}  // namespace gp
