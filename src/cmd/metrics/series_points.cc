#include "cmd/metrics/series_points.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace gp {
namespace {

template <typename Message>
SeriesPoints PointsOfSeries(const Message& message) {
  SeriesPoints points;
  for (const v1::MetricSeries& series : message.series()) {
    for (const v1::MetricCurvePoint& point : series.points()) points.push_back({&series, &point});
  }
  return points;
}

}  // namespace

SeriesPoints PointsOf(const v1::GetJobMetricsReply& reply) { return PointsOfSeries(reply); }

SeriesPoints PointsOf(const v1::NewMetricPoints& message) { return PointsOfSeries(message); }

// Times have as many digits each and are in UTC: they sort as text.
SeriesPoints InOrder(SeriesPoints points) {
  std::ranges::stable_sort(points, {}, [](const SeriesPoint& one) {
    return std::tuple(one.point->attempt(), std::string_view(one.point->at()), one.series->rank());
  });
  return points;
}

}  // namespace gp
