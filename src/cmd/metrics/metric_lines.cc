#include "cmd/metrics/metric_lines.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "adapters/wire/documents/document.h"

namespace gp {
namespace {

// Values of one line of the job, or of lines within a second that end with the same one.
bool AreTogether(const SeriesPoint& one, const SeriesPoint& other) {
  return one.series != other.series && one.series->rank() == other.series->rank() &&
         one.point->attempt() == other.point->attempt() &&
         one.point->step() == other.point->step() && one.point->at() == other.point->at();
}

std::string LineBegin(const std::string& job, const SeriesPoint& one) {
  std::string text = fmt::format("{} {} step {}", one.point->at(), job, one.point->step());
  if (one.point->attempt() > 1) text += fmt::format(" attempt {}", one.point->attempt());
  if (one.series->rank() > 0) text += fmt::format(" rank {}", one.series->rank());
  return text;
}

}  // namespace

std::string ValueText(const v1::MetricCurvePoint& point) {
  return point.has_last() ? fmt::format("{:.6g}", point.last()) : point.not_finite();
}

std::string ToTextLines(const std::string& job, const SeriesPoints& points) {
  std::string text;
  for (size_t i = 0; i < points.size(); ++i) {
    if (i == 0 || !AreTogether(points[i - 1], points[i])) {
      if (i > 0) text += "\n";
      text += LineBegin(job, points[i]);
    }
    text += " " + points[i].series->name() + "=" + ValueText(*points[i].point);
  }
  if (!text.empty()) text += "\n";
  return text;
}

std::string CsvHeader() { return "metric,rank,attempt,step,at,count,min,max,last\n"; }

std::string ToCsvLines(const SeriesPoints& points) {
  std::string text;
  for (const auto& [series, point] : points) {
    text += fmt::format("{},{},{},{},{},{},{},{},{}\n", series->name(), series->rank(),
                        point->attempt(), point->step(), point->at(), point->count(),
                        point->has_min() ? fmt::format("{}", point->min()) : "",
                        point->has_max() ? fmt::format("{}", point->max()) : "",
                        point->has_last() ? fmt::format("{}", point->last()) : point->not_finite());
  }
  return text;
}

std::string ToJsonLines(const std::string& job, const SeriesPoints& points) {
  std::string text;
  for (const auto& [series, point] : points) {
    nlohmann::ordered_json line{{"job", job}, {"name", series->name()}, {"rank", series->rank()}};
    line.update(ToDocument(*point));
    text += ToLine(line) + "\n";
  }
  return text;
}

}  // namespace gp
