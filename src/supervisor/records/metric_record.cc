#include "supervisor/records/metric_record.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace gp {
namespace {

constexpr int64_t kMillisecond = 1'000'000;
// Sums of them do not overflow.
constexpr int64_t kCountMax = 1'000'000'000'000;
constexpr int64_t kStepMax = int64_t{1} << 60;

template <typename Number>
bool TakeNumber(std::string_view& rest, Number& number) {
  const size_t end = rest.find(' ');
  if (end == std::string_view::npos) return false;
  const char* last = rest.data() + end;
  const auto read = std::from_chars(rest.data(), last, number);
  rest.remove_prefix(end + 1);
  return read.ec == std::errc() && read.ptr == last;
}

std::optional<MetricPoint> ParseLine(std::string_view line) {
  MetricPoint point;
  int64_t at_ms = 0;
  const bool is_valid =
      TakeNumber(line, at_ms) && TakeNumber(line, point.step) && TakeNumber(line, point.count) &&
      TakeNumber(line, point.min) && TakeNumber(line, point.max) && TakeNumber(line, point.last) &&
      IsMetricName(line) && at_ms >= 0 && at_ms < INT64_MAX / kMillisecond && point.count > 0 &&
      point.count <= kCountMax && point.step >= 0 && point.step <= kStepMax;
  if (!is_valid) return std::nullopt;
  point.at.ns = at_ms * kMillisecond;
  point.name = line;
  return point;
}

}  // namespace

std::optional<double> ParseMetricValue(std::string_view text) {
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string MetricValueText(double value) {
  if (std::isnan(value)) return "nan";  // its sign means nothing
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string MetricsPath(const std::string& directory, const std::string& name) {
  return directory + "/" + name + ".metrics";
}

std::string ToLine(const MetricPoint& point) {
  return std::to_string(point.at.ns / kMillisecond) + " " + std::to_string(point.step) + " " +
         std::to_string(point.count) + " " + MetricValueText(point.min) + " " +
         MetricValueText(point.max) + " " + MetricValueText(point.last) + " " + point.name + "\n";
}

std::vector<MetricPoint> ParseMetricRecords(std::string_view bytes) {
  std::vector<MetricPoint> points;
  for (size_t end = 0; (end = bytes.find('\n')) != std::string_view::npos;
       bytes.remove_prefix(end + 1)) {
    if (auto point = ParseLine(bytes.substr(0, end))) points.push_back(*std::move(point));
  }
  return points;
}

}  // namespace gp
