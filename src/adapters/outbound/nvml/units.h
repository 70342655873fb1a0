#pragma once

// What NVML counts in, in our units.

namespace gp {

inline constexpr unsigned long long kMib = 1ull << 20;  // bytes
inline constexpr unsigned kMilliwattsPerWatt = 1000;

}  // namespace gp
