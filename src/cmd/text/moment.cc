#include "cmd/text/moment.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "base/text.h"

namespace gp {
namespace {

Error NoMoment(const std::string& text) {
  return InvalidArgument(
      "\"" + Printable(text, 40) +
      "\" is no point in time: write now, +2h, 2026-12-01T10:00 (local time) or 2026-12-01T10:00Z");
}

constexpr std::time_t kSecondsMax = INT64_MAX / 1'000'000'000 - 1;

// The fields that a calendar and a clock show.
bool ShowSame(const std::tm& one, const std::tm& other) {
  return one.tm_year == other.tm_year && one.tm_mon == other.tm_mon &&
         one.tm_mday == other.tm_mday && one.tm_hour == other.tm_hour &&
         one.tm_min == other.tm_min && one.tm_sec == other.tm_sec;
}

std::string InUtc(std::time_t seconds) {
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32] = "";
  std::strftime(text, sizeof text, parts.tm_sec == 0 ? "%Y-%m-%dT%H:%MZ" : "%Y-%m-%dT%H:%M:%SZ",
                &parts);
  return text;
}

// Where clocks are set forward an hour of the day is left out, and where they are set back it comes
// twice.
Result<std::time_t> LocalSeconds(const std::string& text, const std::tm& written) {
  std::tm parts = written;
  const std::time_t seconds = mktime(&parts);
  if (!ShowSame(parts, written)) {
    return Fail(InvalidArgument(text +
                                " is left out of that day, as clocks are set forward over it: "
                                "write another time, or in UTC, as " +
                                InUtc(seconds)));
  }
  constexpr std::time_t kMinutes30 = 1'800;
  for (const std::time_t shift : {-4 * kMinutes30, -2 * kMinutes30, -kMinutes30, kMinutes30,
                                  2 * kMinutes30, 4 * kMinutes30}) {
    const std::time_t again = seconds + shift;
    std::tm there{};
    localtime_r(&again, &there);
    if (!ShowSame(there, written)) continue;
    return Fail(InvalidArgument(text + " comes twice that day, as clocks are set back: write " +
                                InUtc(std::min(seconds, again)) + " or " +
                                InUtc(std::max(seconds, again))));
  }
  return seconds;
}

}  // namespace

Result<Instant> Later(Instant at, Duration by) {
  if (by.ns > INT64_MAX - at.ns)
    return Fail(InvalidArgument(ToText(by) + " from then is beyond the year 2262"));
  return at + by;
}

Result<Instant> ParseMoment(const std::string& text, Instant now) {
  if (text == "now") return now;
  if (text.starts_with("+")) return Later(now, GP_TRY(ParseDuration(text.substr(1))));
  const bool is_utc = text.ends_with("Z");
  const std::string local = is_utc ? text.substr(0, text.size() - 1) : text;
  for (const char* format : std::array{"%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S",
                                       "%Y-%m-%d %H:%M:%S", "%Y-%m-%d"}) {
    std::tm parts{};
    parts.tm_isdst = -1;
    const char* end = strptime(local.c_str(), format, &parts);
    if (end == nullptr || *end != '\0') continue;
    std::tm of_calendar = parts;
    const std::time_t in_utc = timegm(&of_calendar);
    if (!ShowSame(of_calendar, parts)) return Fail(NoMoment(text));  // a 30th of February
    const std::time_t seconds = is_utc ? in_utc : GP_TRY(LocalSeconds(text, parts));
    if (seconds < 0 || seconds > kSecondsMax) return Fail(NoMoment(text));
    return Instant{} + Duration::Seconds(seconds);
  }
  return Fail(NoMoment(text));
}

}  // namespace gp
