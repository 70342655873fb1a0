#include "domain/metering/usage.h"

#include <vector>

#include "base/calendar.h"
#include "domain/metering/days.h"

namespace gp {
namespace {

// Division rounded down, also for times before 1970.
int64_t Below(int64_t ns, int64_t unit) { return ns >= 0 ? ns / unit : -((-ns + unit - 1) / unit); }

int64_t Milliseconds(Instant at) { return Below(at.ns, 1'000'000); }

}  // namespace

const char* Name(UsageKind kind) {
  switch (kind) {
    case UsageKind::kJobs: return "jobs";
    case UsageKind::kRepeated: return "repeated";
    case UsageKind::kIdle: return "idle";
    case UsageKind::kFragment: return "fragment";
    case UsageKind::kFaulty: return "faulty";
    case UsageKind::kMaintained: return "maintained";
  }
  return "?";
}

int64_t DayOf(Instant at) { return Below(at.ns, kDay.ns); }

int64_t MillisecondsBetween(Instant from, Instant until) {
  return Milliseconds(until) - Milliseconds(from);
}

int64_t UsageLedger::FirstOfRow(int64_t day) const {
  if (day >= today - kDaysKept) return day;
  // Depends on the month alone: a day belongs to the same row whenever it is entered.
  const int64_t its_month = FirstOfMonth(day);
  if (its_month < today - kMonthsKept) return FirstOfYear(day);
  return its_month;
}

int64_t UsageLedger::LastOfRow(int64_t day) const {
  const int64_t first = FirstOfRow(day);
  while (FirstOfRow(day + 1) == first) ++day;
  return day;
}

namespace {

bool CountsForMonth(const UsageKey& row, int64_t today) {
  return row.kind == UsageKind::kJobs && row.day >= FirstOfMonth(today);
}

void AddToRow(UsageLedger& ledger, const UsageKey& row, GpuTime time) {
  if (time.units == 0) return;
  if (CountsForMonth(row, ledger.today)) ledger.AddToMonth(row, time);
  const auto entry = ledger.rows.try_emplace(row).first;
  entry->second += time;
  if (entry->second.units == 0) ledger.rows.erase(entry);
}

}  // namespace

void UsageLedger::Add(UsageKey key, Instant from, Instant until, int64_t share) {
  if (share == 0) return;
  ForEachDay(from, until, [&](int64_t day, int64_t milliseconds) {
    key.day = FirstOfRow(day);
    AddToRow(*this, key, GpuTime{Wide{share} * milliseconds});
  });
}

void UsageLedger::Add(UsageKey key, GpuTime time) {
  key.day = FirstOfRow(key.day);
  AddToRow(*this, key, time);
}

void UsageLedger::Coarsen(int64_t day) {
  if (day <= today) return;
  const bool is_new_month = FirstOfMonth(day) != FirstOfMonth(today);
  today = day;
  if (is_new_month) SumMonth();
  std::vector<std::pair<UsageKey, GpuTime>> old;
  for (auto row = rows.begin(); row != rows.end() && row->first.day < today - kDaysKept;) {
    if (FirstOfRow(row->first.day) == row->first.day) {
      ++row;
    } else {
      old.emplace_back(row->first, row->second);
      row = rows.erase(row);
    }
  }
  for (auto& [key, time] : old) Add(std::move(key), time);
}

void UsageLedger::AddToMonth(const UsageKey& row, GpuTime time) {
  UsageKey account;
  account.kind = UsageKind::kJobs;
  account.pool = row.pool;
  account.queue = row.queue;
  account.user = row.user;
  const auto sum = month.try_emplace(std::move(account)).first;
  sum->second.time += time;
  sum->second.money += Money(time, row.price);
  if (sum->second == UsageSum()) month.erase(sum);  // all of it was forgiven
}

void UsageLedger::SumMonth() {
  month.clear();
  for (auto row = rows.rbegin(); row != rows.rend() && row->first.day >= FirstOfMonth(today);
       ++row) {
    if (CountsForMonth(row->first, today)) AddToMonth(row->first, row->second);
  }
}

void AddTo(UsageSums& sums, const UsageBy& by, const UsageKey& row, GpuTime time) {
  UsageKey key;
  key.kind = by.kind ? row.kind : UsageKind::kJobs;
  if (by.day) key.day = row.day;
  if (by.pool) key.pool = row.pool;
  if (by.model) key.model = row.model;
  if (by.queue) key.queue = row.queue;
  if (by.user) key.user = row.user;
  UsageSum& sum = sums[std::move(key)];
  sum.time += time;
  sum.money += Money(time, row.price);
}

}  // namespace gp
