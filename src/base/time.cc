#include "base/time.h"

#include <cstdio>

#include "base/calendar.h"

namespace gp {

std::string ToRfc3339(Instant at, bool with_milliseconds) {
  int64_t seconds = at.ns / 1'000'000'000;
  int64_t rest_ns = at.ns % 1'000'000'000;
  if (rest_ns < 0) {
    rest_ns += 1'000'000'000;
    --seconds;
  }
  int64_t days = seconds / 86400;
  int64_t second_of_day = seconds % 86400;
  if (second_of_day < 0) {
    second_of_day += 86400;
    --days;
  }
  const CivilDate date = CivilFromDays(days);
  char fraction[8] = "";
  if (with_milliseconds) {
    std::snprintf(fraction, sizeof fraction, ".%03d", static_cast<int>(rest_ns / 1'000'000));
  }
  char text[64];
  std::snprintf(text, sizeof text, "%04lld-%02d-%02dT%02d:%02d:%02d%sZ",
                static_cast<long long>(date.year), date.month, date.day,
                static_cast<int>(second_of_day / 3600), static_cast<int>(second_of_day / 60 % 60),
                static_cast<int>(second_of_day % 60), fraction);
  return text;
}

std::string ToText(Duration span) {
  if (span.ns < 0) return "-" + ToText(Duration{-span.ns});
  if (span.ns < 1'000'000'000) return std::to_string(span.ToMilliseconds()) + "ms";
  static constexpr struct {
    int64_t seconds;
    const char* unit;
  } kUnits[] = {{86400, "d"}, {3600, "h"}, {60, "m"}, {1, "s"}};
  int64_t rest = span.ToSeconds();
  std::string text;
  int units_shown = 0;
  for (const auto& unit : kUnits) {
    const int64_t count = rest / unit.seconds;
    rest %= unit.seconds;
    if (count == 0) {
      if (units_shown > 0) break;
      continue;
    }
    text += std::to_string(count) + unit.unit;
    if (++units_shown == 2) break;
  }
  return text;
}

}  // namespace gp
