#include "cmd/metrics/metric_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "cmd/metrics/metric_lines.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

constexpr int kCurveWidth = 24;

// Eight heights of a curve; a point that is not a number is a blank.
std::string Curve(const v1::MetricSeries& series, double low, double high) {
  static constexpr const char* kHeights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const int points = series.points_size();
  const int width = std::min(points, kCurveWidth);
  std::string text;
  for (int i = 0; i < width; ++i) {
    const v1::MetricCurvePoint& point = series.points(i * points / width);
    if (!point.has_last()) {
      text += " ";
      continue;
    }
    const double part = high > low ? (point.last() - low) / (high - low) : 0.5;
    text += kHeights[static_cast<int>(std::isfinite(part) ? std::clamp(part * 8, 0.0, 7.0) : 4)];
  }
  return text;
}

struct Extent {
  std::optional<double> low;
  std::optional<double> high;
};

Extent ExtentOf(const v1::MetricSeries& series) {
  Extent extent;
  for (const v1::MetricCurvePoint& point : series.points()) {
    if (point.has_min()) extent.low = std::min(extent.low.value_or(point.min()), point.min());
    if (point.has_max()) extent.high = std::max(extent.high.value_or(point.max()), point.max());
  }
  return extent;
}

Cell NumberOrDash(const std::optional<double>& value) {
  return value ? Cell(fmt::format("{:.6g}", *value), *value) : Cell(kDash);
}

}  // namespace

void PrintMetricTable(const v1::GetJobMetricsReply& reply, Cli& cli) {
  Table table({{.title = "METRIC", .cut = true},
               {.title = "RANK", .right = true, .drop = 3},
               {.title = "STEP", .right = true},
               {.title = "LAST", .right = true},
               {.title = "MIN", .right = true, .drop = 1},
               {.title = "MAX", .right = true, .drop = 2},
               {.title = "CURVE", .drop = 4}});
  for (const v1::MetricSeries& series : reply.series()) {
    const Extent extent = ExtentOf(series);
    const v1::MetricCurvePoint& last = series.last();
    table.Add({series.name(), std::to_string(series.rank()),
               Cell(std::to_string(last.step()), static_cast<double>(last.step())),
               last.has_last() ? Cell(ValueText(last), last.last()) : Cell(ValueText(last)),
               NumberOrDash(extent.low), NumberOrDash(extent.high),
               Curve(series, extent.low.value_or(0), extent.high.value_or(0))});
  }
  cli.PrintTable(table);
  for (const v1::MetricSeries& series : reply.series()) {
    if (!series.has_not_finite_since()) continue;
    const std::string rank =
        series.rank() > 0 ? " of rank " + std::to_string(series.rank()) : std::string();
    cli.Say(series.name() + rank + " is " + ValueText(series.last()) + " since step " +
            std::to_string(series.not_finite_since()));
  }
}

}  // namespace gp
