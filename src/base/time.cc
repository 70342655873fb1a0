#include "base/time.h"

#include <cstdio>
#include <optional>

#include "base/calendar.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// Reads a text from its beginning; after the first failure nothing is read any more.
class TimeReader {
 public:
  explicit TimeReader(std::string_view text) : rest_(text) {}

  bool Take(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void Expect(char wanted) { is_good_ = Take(wanted) && is_good_; }
  int Number(size_t digits, int low, int high) {
    int value = 0;
    for (size_t i = 0; i < digits; ++i) value = value * 10 + Digit();
    is_good_ = is_good_ && low <= value && value <= high;
    return value;
  }
  // Digits after the point: at least one.
  int64_t Nanoseconds() {
    int64_t ns = 0;
    int64_t unit = kSecond / 10;
    do {
      ns += Digit() * unit;
      unit /= 10;
    } while (is_good_ && !rest_.empty() && IsDigit(rest_.front()));
    return ns;
  }
  bool is_at_end() const { return is_good_ && rest_.empty(); }

 private:
  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  int Digit() {
    is_good_ = is_good_ && !rest_.empty() && IsDigit(rest_.front());
    if (!is_good_) return 0;
    const int digit = rest_.front() - '0';
    rest_.remove_prefix(1);
    return digit;
  }

  std::string_view rest_;
  bool is_good_ = true;
};

// Seconds east of Greenwich.
int64_t ReadOffset(TimeReader& reader) {
  if (reader.Take('Z')) return 0;
  const bool is_west = reader.Take('-');
  if (!is_west) reader.Expect('+');
  const int64_t hours = reader.Number(2, 0, 23);
  reader.Expect(':');
  const int64_t seconds = hours * 3600 + reader.Number(2, 0, 59) * 60;
  return is_west ? -seconds : seconds;
}

std::optional<Instant> ReadInstant(std::string_view text) {
  TimeReader reader(text);
  CivilDate date{};
  date.year = reader.Number(4, 1678, 2261);  // int64_t holds the nanoseconds of these
  reader.Expect('-');
  date.month = reader.Number(2, 1, 12);
  reader.Expect('-');
  date.day = reader.Number(2, 1, 31);
  reader.Expect('T');
  int64_t seconds = int64_t{reader.Number(2, 0, 23)} * 3600;
  reader.Expect(':');
  seconds += int64_t{reader.Number(2, 0, 59)} * 60;
  reader.Expect(':');
  seconds += reader.Number(2, 0, 59);
  const int64_t ns = reader.Take('.') ? reader.Nanoseconds() : 0;
  seconds -= ReadOffset(reader);
  if (!reader.is_at_end()) return std::nullopt;
  const int64_t day = DaysFromCivil(date);
  if (CivilFromDays(day).day != date.day) return std::nullopt;  // a 30th of February
  return Instant{(day * 86400 + seconds) * kSecond + ns};
}

}  // namespace

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

Result<Instant> ParseRfc3339(std::string_view text) {
  if (const auto instant = ReadInstant(text)) return *instant;
  return Fail(InvalidArgument("\"" + Printable(text, 40) +
                              "\" is no time: write it as 2026-03-01T12:00:00Z"));
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
