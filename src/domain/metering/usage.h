#pragma once

// The usage ledger: where the time of GPUs went.  Each row is the time that one user of a queue, or
// nobody, had on GPUs of one model and pool on one day at one price.  All rows of a span add up to
// the time of all GPUs: nothing is left out or counted twice.

#include <cstdint>
#include <map>
#include <string>

#include "base/fields.h"
#include "base/time.h"
#include "domain/metering/money.h"

namespace gp {

enum class UsageKind {
  kJobs,  // granted to jobs
  // Granted to jobs and lost through faults of the platform: the work has to be repeated, and
  // nobody pays for it
  kRepeated,
  kIdle,        // whole GPUs that could have been granted
  kFragment,    // the free rest of a shared GPU
  kFaulty,      // out of service because of a fault, or being tested after one
  kMaintained,  // taken out of service or drained by an operator
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
GP_FIELDS(UsageKey, v.day, v.kind, v.pool, v.model, v.price, v.queue, v.user)

inline constexpr Duration kDay = Duration::Minutes(24 * 60);

int64_t DayOf(Instant at);

// Old rows are merged: days more than kDaysKept days ago into months, months that began more than
// kMonthsKept days ago into years.  A row names the first of its days.
inline constexpr int64_t kDaysKept = 100;
inline constexpr int64_t kMonthsKept = 800;  // in days

// The fields that sums are grouped by.
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
  int64_t today = 0;                 // the last day passed to Coarsen
  // Time of jobs since the first of this month, by pool, queue and user; follows from rows
  UsageSums month;

  // Adds `share` from one instant until another to each day's row; `key.day` is ignored.  Instants
  // are rounded down to whole milliseconds, so that adjacent spans leave nothing out.
  void Add(UsageKey key, Instant from, Instant until, int64_t share);
  // Adds the time to the row that the key's day belongs to by now.
  void Add(UsageKey key, GpuTime time);
  // Sets today's date and merges rows that have become old.  An earlier day changes nothing.
  void Coarsen(int64_t day);
  // The first and the last day of the row that a day belongs to by now.
  int64_t FirstOfRow(int64_t day) const;
  int64_t LastOfRow(int64_t day) const;
  void SumMonth();
  void AddToMonth(const UsageKey& row, GpuTime time);
  bool operator==(const UsageLedger&) const = default;
};
GP_FIELDS(UsageLedger, v.rows, v.today)

// The whole milliseconds between two instants, as the usage ledger counts them.
int64_t MillisecondsBetween(Instant from, Instant until);

// Adds a row to the sums.  Fields that are not grouped by are empty in the keys, and so is the
// price.
void AddTo(UsageSums& sums, const UsageBy& by, const UsageKey& row, GpuTime time);

}  // namespace gp
