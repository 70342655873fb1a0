#pragma once

#include <cstdint>

namespace gp {

inline constexpr int64_t kMiB = 1 << 20;  // bytes

}  // namespace gp
