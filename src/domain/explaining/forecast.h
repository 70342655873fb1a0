#pragma once

// When a waiting job may be expected to start (docs/adr/0023-forecasts.md): the engine plays what
// follows from now several times, each time with other lengths of the jobs, as those like them had.

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
inline constexpr int64_t kForecastSteps = 1'000'000;  // of all plays together
inline constexpr int kPlaysMin = 3;                   // fewer make no interval

struct Forecast {
  Future::Outcome outcome = Future::Outcome::kWaitsOn;  // in the middle of all plays
  // The first of all plays, the middle one, the last: one more play would lie between them in ten
  // of twelve cases.  nullopt: beyond what can be told.
  std::optional<Instant> earliest;
  std::optional<Instant> median;
  std::optional<Instant> latest;
  int plays = 0;
  size_t alike = 0;            // finished jobs from which lengths were taken
  bool by_limits = false;      // time limits had a say
  std::vector<JobId> endless;  // kUnknown: because of these
  std::string text;            // one line
};

// REQUIRES: the job waits in `present`, and a Planner finds no place for it there now.
Forecast ForecastStart(const Present& present, const Lengths& lengths, Instant at, JobId job,
                       int64_t steps = kForecastSteps);

}  // namespace gp
