#pragma once

// How warm each GPU of a node is, in steps: a warm GPU takes no new work, a hot one sends its jobs
// elsewhere, a critical one ends them. It uses each GPU's own limits, because models differ, and
// hysteresis, so that no GPU flips between two steps.

#include <map>
#include <optional>

#include "base/time.h"
#include "domain/faults/health.h"

namespace gp {

struct HeatReading {
  std::optional<int> temperature_c;
  std::optional<int> slowdown_c;  // from the driver; without a value kSlowdownC is used
  std::optional<int> shutdown_c;
  bool is_slowed = false;  // the hardware reduces its clocks because of heat
};

inline constexpr int kSlowdownC = 85;
inline constexpr int kWarmMarginC = 2;      // below the slowdown temperature
inline constexpr int kCoolMarginC = 7;      // below the slowdown temperature: cool again
inline constexpr int kCriticalMarginC = 1;  // below the shutdown temperature
inline constexpr Duration kSlowedForLong = Duration::Seconds(30);

// The heat of all GPUs of one agent. Not thread-safe.
class HeatLadder {
 public:
  // Takes a reading and returns the current step.
  Heat Read(int gpu, const HeatReading& reading, Instant at);
  Heat Of(int gpu) const;

 private:
  struct State {
    Heat heat = Heat::kCool;
    Instant slowed_since;  // ns == 0: not slowed
  };
  std::map<int, State> gpus_;  // all GPUs that were ever read
};

}  // namespace gp
