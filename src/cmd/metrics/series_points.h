#pragma once

// The points of several curves in one order, and which of them are new.

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
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
// By attempt, time, rank and name; points of one curve that have the same time stay in their order.
SeriesPoints InOrder(SeriesPoints points);

// Finds what a reply has that earlier replies about the same job had not.  An attempt's values only
// become more, but those of a lost node come late, after points of the next attempt: each attempt
// of each curve is counted by itself.  Where the controller joins neighbours, a point is new if any
// of its values is; at the border of two attempts it may then come twice.
class MetricCursor {
 public:
  // REQUIRES: the reply has superseded points too.
  SeriesPoints TakeNew(const v1::GetJobMetricsReply& reply);

 private:
  using Key = std::tuple<std::string, int, int>;  // name, rank and attempt
  struct Mark {
    int64_t values = 0;
    std::string at;  // of the last point
  };
  std::map<Key, Mark> marks_;
};

}  // namespace gp
