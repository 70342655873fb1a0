#pragma once

// Points in time as people type them.

#include <string>

#include "base/result.h"
#include "base/time.h"

namespace gp {

// kInvalidArgument where it would be beyond the year 2262.
Result<Instant> Later(Instant at, Duration by);

// "now", "+2h", "2026-12-01T10:00" or "2026-12-01 10:00:30" (local time), the same with "Z" (UTC).
// kInvalidArgument also for a local time that daylight saving leaves out or has twice.
Result<Instant> ParseMoment(const std::string& text, Instant now);

}  // namespace gp
