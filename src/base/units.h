#pragma once

#include <cstdint>

#include "base/time.h"

namespace gp {

inline constexpr int64_t kMiB = 1 << 20;  // bytes

// For people and for messages: decisions count in whole numbers.
inline double SecondsOf(Duration span) { return static_cast<double>(span.ns) / 1e9; }

}  // namespace gp
