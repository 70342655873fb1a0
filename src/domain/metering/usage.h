#pragma once

// Where the time of GPUs went.  Each row is what one queue's user, or nobody, had of the GPUs of
// one model and pool on one day at one price.  All rows of a time together are the time of all GPUs
// there were: nothing is left out, nothing counts twice.

#include <cstdint>
#include <map>
#include <string>

#include "base/time.h"
#include "domain/metering/money.h"

namespace gp {

enum class UsageKind {
  kJobs,  // granted to jobs
  // Granted to jobs, and lost by faults of the platform: it has to be done again, and nobody pays
  // for it
  kRepeated,
  kIdle,        // could have been granted, whole
  kFragment,    // the rest of a GPU that others have a part of
  kFaulty,      // out of service by a fault, or being tested after one
  kMaintained,  // taken out, or drained, by a person
};

const char* Name(UsageKind kind);

struct UsageKey {
  int64_t day = 0;  // since 1970, UTC
  UsageKind kind = UsageKind::kIdle;
  std::string pool;
  std::string model;
  Price price;
  std::string queue;  // of kJobs and kRepeated; else empty
  std::string user;
  auto operator<=>(const UsageKey&) const = default;
};

inline constexpr Duration kDay = Duration::Minutes(24 * 60);

int64_t DayOf(Instant at);

// Days that lie far enough back are put together: those of more than kDaysKept days ago to their
// months, months that began more than kMonthsKept days ago to their years.  A row names the first
// of its days.
inline constexpr int64_t kDaysKept = 100;
inline constexpr int64_t kMonthsKept = 800;  // in days

// What rows are kept apart by.
struct UsageBy {
  bool day = false, kind = true, pool = false, model = false, queue = false, user = false;
};

struct UsageSum {
  GpuTime time;
  Money money;
  bool operator==(const UsageSum&) const = default;
};

using UsageSums = std::map<UsageKey, UsageSum>;

struct UsageLedger {
  std::map<UsageKey, GpuTime> rows;  // none is 0
  int64_t today = 0;                 // the last day that Coarsen was told
  // What jobs had since the first of this month, by pool, queue and user; follows from rows
  UsageSums month;

  // So much from one instant until another, in each day's row; `key.day` does not matter.  Instants
  // count as the whole millisecond they lie in, so that spans that meet leave nothing out.
  void Add(UsageKey key, Instant from, Instant until, int64_t share);
  // Into the row that the key's day belongs to by now.
  void Add(UsageKey key, GpuTime time);
  // It is that day now: puts days together that have become old.  A day that has been before
  // changes nothing.
  void Coarsen(int64_t day);
  // The row that a day belongs to by now: its first and its last day.
  int64_t FirstOfRow(int64_t day) const;
  int64_t LastOfRow(int64_t day) const;
  void SumMonth();
  void AddToMonth(const UsageKey& row, GpuTime time);
  bool operator==(const UsageLedger&) const = default;
};

// The whole milliseconds between two instants, as the book counts them.
int64_t MillisecondsBetween(Instant from, Instant until);

// Puts a row to the others: what does not count is empty in the keys of sums, the price always.
void AddTo(UsageSums& sums, const UsageBy& by, const UsageKey& row, GpuTime time);

}  // namespace gp
