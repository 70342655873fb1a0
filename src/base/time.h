#pragma once

// Points and spans of time as integers.  Instants come from a Clock port or an envelope; the code
// that uses them reads no clock.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

// A span of time.
struct Duration {
  int64_t ns = 0;

  static constexpr Duration Nanoseconds(int64_t n) { return {n}; }
  static constexpr Duration Milliseconds(int64_t n) { return {n * 1'000'000}; }
  static constexpr Duration Seconds(int64_t n) { return {n * 1'000'000'000}; }
  static constexpr Duration Minutes(int64_t n) { return Seconds(n * 60); }

  constexpr int64_t ToMilliseconds() const { return ns / 1'000'000; }
  constexpr int64_t ToSeconds() const { return ns / 1'000'000'000; }

  auto operator<=>(const Duration&) const = default;
};

constexpr Duration operator+(Duration a, Duration b) { return {a.ns + b.ns}; }
constexpr Duration operator-(Duration a, Duration b) { return {a.ns - b.ns}; }
constexpr Duration operator*(Duration a, int64_t n) { return {a.ns * n}; }

// A point in time, in nanoseconds: of the wall clock (UTC, since 1970), or of the controller's time
// line (domain/model/time_line.h).
struct Instant {
  int64_t ns = 0;

  auto operator<=>(const Instant&) const = default;
};

constexpr Instant operator+(Instant at, Duration by) { return {at.ns + by.ns}; }
constexpr Instant operator-(Instant at, Duration by) { return {at.ns - by.ns}; }
constexpr Duration operator-(Instant later, Instant earlier) { return {later.ns - earlier.ns}; }

// "2026-03-01T12:00:00Z", or with milliseconds "2026-03-01T12:00:00.123Z".
std::string ToRfc3339(Instant at, bool with_milliseconds = false);
// Reads it back, also with an offset ("+01:00") and with any number of digits of a second, of which
// nine count.  kInvalidArgument: other text, a leap second, or years outside 1678 to 2261.
Result<Instant> ParseRfc3339(std::string_view text);

// "1d12h", "15m", "90s", "250ms": at most two units, as people write them.
std::string ToText(Duration span);

}  // namespace gp
