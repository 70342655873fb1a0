#pragma once

// When a pending job is expected to start (docs/adr/0023-forecasts.md).  The engine plays the
// future several times, each time with other job lengths, drawn from similar finished jobs.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/explaining/future.h"
#include "domain/explaining/lengths.h"
#include "domain/explaining/present.h"

namespace gp {

inline constexpr Duration kForecastHorizon = Duration::Minutes(60 * 24 * 30);
inline constexpr int64_t kForecastSteps = 1'000'000;  // limit for all plays together
inline constexpr int kPlaysMin = 3;                   // fewer give no interval

struct Forecast {
  Future::Outcome outcome = Future::Outcome::kWaitsOn;  // of the median play
  // The start in the earliest, the median and the latest play: a further play would start within
  // this interval in ten of twelve cases. nullopt: not known.
  std::optional<Instant> earliest;
  std::optional<Instant> median;
  std::optional<Instant> latest;
  int plays = 0;
  size_t alike = 0;            // finished jobs whose lengths were used
  bool by_limits = false;      // time limits were used
  std::vector<JobId> endless;  // kUnknown: these jobs have no known end
  std::string text;            // one line
};

// REQUIRES: the job is pending in `present`, and a Planner finds no placement for it there now.
Forecast ForecastStart(const Present& present, const Lengths& lengths, Instant at, JobId job,
                       int64_t steps = kForecastSteps);

}  // namespace gp
