#pragma once

// Time that runs up at known rates.  Nothing is counted while it goes by: a row is settled when its
// rate changes, and where somebody reads.

#include <map>
#include <string>

#include "base/time.h"
#include "domain/metering/usage.h"

namespace gp {

// So many thousandths of GPUs since then.
struct UsageRate {
  int64_t share = 0;
  Instant since;
  bool operator==(const UsageRate&) const = default;
};

struct UsageMeter {
  UsageLedger ledger;                   // what was settled
  std::map<UsageKey, UsageRate> rates;  // by rows without their day; none is 0
  // The book's days are those of instants + wall; whole milliseconds
  Duration wall;

  // From `now` on so many thousandths more or, negative, fewer.  REQUIRES: `now` is never before an
  // earlier one.
  void Change(const UsageKey& row, int64_t share, Instant now);
  // All that has run up until then is in the book.
  void Settle(Instant now);
  // The book with all that has run up until then.
  UsageLedger LedgerAt(Instant now) const;
  bool operator==(const UsageMeter&) const = default;
};

// What a job has had so far: of leases that are over, and of others up to where they were settled.
struct JobUse {
  GpuTime time;
  Money money;
  // Of that time what would have to be done again if a fault ended the attempt now, by rows of the
  // book.
  std::map<UsageKey, GpuTime> unsaved;
  // What faults of the platform threw away: it is not in `time`, and costs nothing
  GpuTime repeated;
  Money repeated_money;  // what it would have cost
  bool operator==(const JobUse&) const = default;
};

// Enters a span of one of the job's leases at this rate, none of which is saved yet.
// `from` and `until` by the wall clock of the rows' days.
void AddUse(JobUse& use, const UsageKey& row, int64_t share, Instant from, Instant until);
// A fault threw away what was not saved.
void ForgiveUnsaved(JobUse& use, UsageLedger& ledger);

}  // namespace gp
