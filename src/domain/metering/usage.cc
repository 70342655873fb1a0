#include "domain/metering/usage.h"

#include <algorithm>

namespace gp {
namespace {

// The whole that lies below, for times before 1970 too.
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

void UsageBook::Add(UsageKey key, Instant from, Instant until, int64_t share) {
  while (from < until) {
    key.day = DayOf(from);
    const Instant next = std::min(until, Instant{(key.day + 1) * kDay.ns});
    Add(key, GpuTime{share * (Milliseconds(next) - Milliseconds(from))});
    from = next;
  }
}

void UsageBook::Add(const UsageKey& key, GpuTime time) {
  if (time.units == 0) return;
  const auto row = rows_.try_emplace(key).first;
  row->second += time;
  if (row->second.units == 0) rows_.erase(row);
}

std::map<std::pair<std::string, std::string>, GpuTime> UsageBook::Forget(int64_t first_day_kept) {
  std::map<std::pair<std::string, std::string>, GpuTime> forgotten;
  while (!rows_.empty() && rows_.begin()->first.day < first_day_kept) {
    const auto& [key, time] = *rows_.begin();
    forgotten[{key.pool, key.model}] += time;
    rows_.erase(rows_.begin());
  }
  return forgotten;
}

std::map<UsageKey, UsageSum> SumBy(const UsageBook& book, const UsageBy& by, int64_t first, int64_t last) {
  std::map<UsageKey, UsageSum> sums;
  UsageKey begin;
  begin.day = first;
  begin.kind = UsageKind::kJobs;
  begin.price.micros = INT64_MIN;
  for (auto row = book.rows().lower_bound(begin); row != book.rows().end() && row->first.day <= last; ++row) {
    UsageKey key = row->first;
    if (!by.day) key.day = 0;
    if (!by.kind) key.kind = UsageKind::kJobs;
    if (!by.pool) key.pool.clear();
    if (!by.model) key.model.clear();
    if (!by.queue) key.queue.clear();
    if (!by.user) key.user.clear();
    key.price = {};
    UsageSum& sum = sums[key];
    sum.time += row->second;
    sum.money += Money(row->second, row->first.price);
  }
  return sums;
}

}  // namespace gp
