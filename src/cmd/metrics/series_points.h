#pragma once

// The points of several curves in one order.

#include <cstdint>
#include <vector>

#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// Valid as long as the reply that it is of.
struct SeriesPoint {
  const v1::MetricSeries* series = nullptr;
  const v1::MetricCurvePoint* point = nullptr;
};
using SeriesPoints = std::vector<SeriesPoint>;

// Of a curve in one reply: the limit of GetJobMetrics.
inline constexpr int kCurvePointsMax = 100'000;

// In the reply's order: one curve after the other.
SeriesPoints PointsOf(const v1::GetJobMetricsReply& reply);
SeriesPoints PointsOf(const v1::NewMetricPoints& message);
// By attempt, time, rank and name; points of one curve that have the same time stay in their order.
SeriesPoints InOrder(SeriesPoints points);

}  // namespace gp
