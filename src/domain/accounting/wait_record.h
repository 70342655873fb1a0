#pragma once

// How many jobs of a queue started in less time than its target, in all and hour by hour.

#include <cstdint>
#include <map>

#include "base/fields.h"
#include "base/time.h"

namespace gp {

inline constexpr int64_t kWaitHoursKept = 24;

// Jobs that started for the first time.
struct WaitCount {
  int64_t started = 0;
  int64_t in_target = 0;  // of them, those that waited for less than the target

  WaitCount& operator+=(const WaitCount& other);
  bool operator==(const WaitCount&) const = default;
};
GP_FIELDS(WaitCount, v.started, v.in_target)

struct WaitRecord {
  WaitCount total;                     // since the queue has a target
  std::map<int64_t, WaitCount> hours;  // by number of the hour; those without a start are absent
  Instant missed_at;                   // since when a job waits beyond the target; ns == 0: none
  bool operator==(const WaitRecord&) const = default;
};
GP_FIELDS(WaitRecord, v.total, v.hours, v.missed_at)

// Adds a job that starts at `at`, and drops hours that are no longer kept.
void AddStart(WaitRecord& record, Instant at, bool is_in_target);

// The starts of the present hour and of the `hours` - 1 before it.
WaitCount StartsOf(const WaitRecord& record, Instant at, int64_t hours);

}  // namespace gp
