#include "cmd/moment.h"

#include <array>
#include <ctime>

#include "base/text.h"

namespace gp {
namespace {

Error NoMoment(const std::string& text) {
  return InvalidArgument("\"" + Printable(text, 40) + "\" is no point in time: write now, +2h, 2026-12-01T10:00 (local time) or 2026-12-01T10:00Z");
}

constexpr std::time_t kSecondsMax = INT64_MAX / 1'000'000'000 - 1;

}  // namespace

Result<Instant> Later(Instant at, Duration by) {
  if (by.ns > INT64_MAX - at.ns) return Fail(InvalidArgument(ToText(by) + " from then is beyond the year 2262"));
  return at + by;
}

Result<Instant> ParseMoment(const std::string& text, Instant now) {
  if (text == "now") return now;
  if (text.starts_with("+")) return Later(now, GP_TRY(ParseDuration(text.substr(1))));
  const bool is_utc = text.ends_with("Z");
  const std::string local = is_utc ? text.substr(0, text.size() - 1) : text;
  for (const char* format : std::array{"%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d"}) {
    std::tm parts{};
    parts.tm_isdst = -1;
    const char* end = strptime(local.c_str(), format, &parts);
    if (end == nullptr || *end != '\0') continue;
    const std::time_t seconds = is_utc ? timegm(&parts) : mktime(&parts);
    if (seconds < 0 || seconds > kSecondsMax) return Fail(NoMoment(text));
    return Instant{} + Duration::Seconds(seconds);
  }
  return Fail(NoMoment(text));
}

}  // namespace gp
