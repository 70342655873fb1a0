#pragma once

// Decay of use: after a half-life it counts half.  Fixed point, so that every machine computes the
// same bits.

#include <cstdint>

#include "base/time.h"

namespace gp {

// 2^-(elapsed / half_life), in units of 2^-60.  REQUIRES: half_life > 0.
uint64_t FadingOver(Duration elapsed, Duration half_life);

// `amount` after `elapsed`.
int64_t Faded(int64_t amount, Duration elapsed, Duration half_life);

// The amount that `rate` per millisecond accrues over `elapsed`, each part faded since.
int64_t FadedSum(int64_t rate, Duration elapsed, Duration half_life);

}  // namespace gp
