#pragma once

// How warm each GPU of a node is, on a ladder: warm takes no new work, hot sends its jobs
// elsewhere, critical ends them. Against each GPU's own limits, as models differ; with hysteresis,
// so that nobody swings between two rungs.

#include <map>
#include <optional>

#include "base/time.h"
#include "domain/faults/health.h"

namespace gp {

struct HeatReading {
  std::optional<int> temperature_c;
  std::optional<int> slowdown_c;  // by the driver; a GPU that tells none slows down at kSlowdownC
  std::optional<int> shutdown_c;
  bool is_slowed = false;  // the hardware holds its clocks down for its heat
};

inline constexpr int kSlowdownC = 85;
inline constexpr int kWarmMarginC = 2;      // below the slowdown
inline constexpr int kCoolMarginC = 7;      // below it again: cool
inline constexpr int kCriticalMarginC = 1;  // below the shutdown
inline constexpr Duration kSlowedForLong = Duration::Seconds(30);

class HeatLadder {
 public:
  // The rung it is on now.
  Heat Read(int gpu, const HeatReading& reading, Instant at);
  Heat Of(int gpu) const;

 private:
  struct State {
    Heat heat = Heat::kCool;
    Instant slowed_since;  // ns == 0: it is not
  };
  std::map<int, State> gpus_;  // that were ever read
};

}  // namespace gp
