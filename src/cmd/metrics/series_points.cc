#include "cmd/metrics/series_points.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace gp {
SeriesPoints PointsOf(const v1::GetJobMetricsReply& reply) {
  SeriesPoints points;
  for (const v1::MetricSeries& series : reply.series()) {
    for (const v1::MetricCurvePoint& point : series.points()) points.push_back({&series, &point});
  }
  return points;
}

// Times have as many digits each and are in UTC: they sort as text.
SeriesPoints InOrder(SeriesPoints points) {
  std::ranges::stable_sort(points, {}, [](const SeriesPoint& one) {
    return std::tuple(one.point->attempt(), std::string_view(one.point->at()), one.series->rank());
  });
  return points;
}

SeriesPoints MetricCursor::TakeNew(const v1::GetJobMetricsReply& reply) {
  SeriesPoints fresh;
  for (const v1::MetricSeries& series : reply.series()) {
    std::map<int, int64_t> values;  // so far, by attempt
    for (const v1::MetricCurvePoint& point : series.points()) {
      const int64_t count = values[point.attempt()] += point.count();
      Mark& mark = marks_[{series.name(), series.rank(), point.attempt()}];
      if (count <= mark.values && point.at() <= mark.at) continue;
      mark.values = std::max(mark.values, count);
      mark.at = std::max(mark.at, point.at());
      fresh.push_back({&series, &point});
    }
  }
  return InOrder(std::move(fresh));
}

}  // namespace gp
