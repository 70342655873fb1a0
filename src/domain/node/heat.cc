#include "domain/node/heat.h"

#include <algorithm>

namespace gp {

Heat HeatLadder::Of(int gpu) const {
  const auto found = gpus_.find(gpu);
  return found == gpus_.end() ? Heat::kCool : found->second.heat;
}

Heat HeatLadder::Read(int gpu, const HeatReading& reading, Instant at) {
  State& state = gpus_[gpu];
  if (!reading.temperature_c) return state.heat;  // unknown: no change
  const int temperature = *reading.temperature_c;
  const int slowdown = reading.slowdown_c.value_or(kSlowdownC);
  if (!reading.is_slowed) {
    state.slowed_since = {};
  } else if (state.slowed_since.ns == 0) {
    state.slowed_since = at;
  }
  Heat now = Heat::kCool;
  if (temperature >= slowdown - kWarmMarginC) now = Heat::kWarm;
  if (state.slowed_since.ns != 0 && at - state.slowed_since >= kSlowedForLong) now = Heat::kHot;
  if (reading.shutdown_c && temperature >= *reading.shutdown_c - kCriticalMarginC)
    now = Heat::kCritical;
  // Up immediately; down only once the GPU is cool.
  const bool is_cool = temperature <= slowdown - kCoolMarginC && !reading.is_slowed;
  state.heat = is_cool ? now : std::max(now, state.heat);
  return state.heat;
}

}  // namespace gp
