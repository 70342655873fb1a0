#pragma once

#include <chrono>
#include <cstdint>

namespace gp {

inline constexpr auto kHandshakeTime = std::chrono::seconds(10);
// From the start of reading to the last byte
inline constexpr auto kRequestTime = std::chrono::seconds(30);
inline constexpr auto kAnswerTime = std::chrono::seconds(30);
// Bytes.  The limits apply before the caller is identified, so TCP has a lower one.
inline constexpr uint64_t kBodyMaxLocal = 16 << 20;
inline constexpr uint64_t kBodyMaxTcp = 2 << 20;

}  // namespace gp
