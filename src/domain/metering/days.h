#pragma once

// Splits spans of time by day.

#include <algorithm>
#include <cstdint>

#include "base/time.h"
#include "domain/metering/usage.h"

namespace gp {

// Calls visit(day, milliseconds) for each day from one instant to another.
template <typename Visit>
void ForEachDay(Instant from, Instant until, Visit visit) {
  while (from < until) {
    const int64_t day = DayOf(from);
    const Instant next = std::min(until, Instant{(day + 1) * kDay.ns});
    visit(day, MillisecondsBetween(from, next));
    from = next;
  }
}

}  // namespace gp
