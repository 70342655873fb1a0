#pragma once

// Time that accrues at known rates.  Nothing is updated as time passes: a row is settled when its
// rate changes or when it is read.

#include <map>
#include <string>

#include "base/fields.h"
#include "base/time.h"
#include "domain/metering/usage.h"

namespace gp {

// A rate of `share` thousandths of GPUs since `since`.
struct UsageRate {
  int64_t share = 0;
  Instant since;
  bool operator==(const UsageRate&) const = default;
};
GP_FIELDS(UsageRate, v.share, v.since)

struct UsageMeter {
  UsageLedger ledger;                   // the settled time
  std::map<UsageKey, UsageRate> rates;  // by rows without their day; none is 0
  // Days of the ledger are those of instant + wall; whole milliseconds
  Duration wall;

  // Changes the row's rate by `share` thousandths, which may be negative, from `now` on.  REQUIRES:
  // `now` never decreases.
  void Change(const UsageKey& row, int64_t share, Instant now);
  // Enters all time accrued until `now` into the ledger.
  void Settle(Instant now);
  // The ledger with all time accrued until `now`.
  UsageLedger LedgerAt(Instant now) const;
  bool operator==(const UsageMeter&) const = default;
};
GP_FIELDS(UsageMeter, v.ledger, v.rates, Since<17>(v.wall))

// The use of a job so far: of ended leases, and of live ones up to where they were settled.
struct JobUse {
  GpuTime time;
  Money money;
  // The part of that time that would have to be repeated if a fault ended the attempt now, by rows
  // of the ledger.
  std::map<UsageKey, GpuTime> unsaved;
  // Time lost through faults of the platform: it is not in `time`, and costs nothing
  GpuTime repeated;
  Money repeated_money;  // what that time would have cost
  bool operator==(const JobUse&) const = default;
};
GP_FIELDS(JobUse, v.time, v.money, v.unsaved, v.repeated, v.repeated_money)

// Adds a span of one of the job's leases at this rate, as unsaved time.  `from` and `until` are by
// the wall clock of the rows' days.
void AddUse(JobUse& use, const UsageKey& row, int64_t share, Instant from, Instant until);
// Moves unsaved time, which a fault has destroyed, to repeated time.
void ForgiveUnsaved(JobUse& use, UsageLedger& ledger);

}  // namespace gp
