#include "cmd/metrics/series_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/time.h"

namespace gp {
namespace {

using testing::ElementsAre;

struct PointSeen {
  int attempt = 1;
  int64_t step = 0;
  int second = 0;
  int64_t count = 1;
};

template <typename Message>
void AddSeries(const std::string& name, int rank, const std::vector<PointSeen>& points,
               Message& reply) {
  v1::MetricSeries* series = reply.add_series();
  series->set_name(name);
  series->set_rank(rank);
  for (const PointSeen& one : points) {
    v1::MetricCurvePoint* point = series->add_points();
    point->set_attempt(one.attempt);
    point->set_step(one.step);
    point->set_at(ToRfc3339(Instant{} + Duration::Seconds(one.second), true));
    point->set_count(one.count);
  }
}

// "loss 1/3": metric, attempt and step.
std::vector<std::string> Names(const SeriesPoints& points) {
  std::vector<std::string> names;
  for (const auto& [series, point] : points)
    names.push_back(series->name() + " " + std::to_string(point->attempt()) + "/" +
                    std::to_string(point->step()));
  return names;
}

TEST(SeriesPoints, AreInTheOrderOfTheirTime) {
  v1::GetJobMetricsReply reply;
  AddSeries("acc", 0, {{1, 2, 20}, {2, 1, 30}}, reply);
  AddSeries("loss", 0, {{1, 1, 10}, {1, 2, 20}, {1, 9, 40}}, reply);
  EXPECT_THAT(Names(InOrder(PointsOf(reply))),
              ElementsAre("loss 1/1", "acc 1/2", "loss 1/2", "loss 1/9", "acc 2/1"));
}

TEST(SeriesPoints, OfOneTimeStayInTheirOrder) {
  v1::NewMetricPoints message;
  AddSeries("loss", 0, {{1, 2, 10}, {1, 1, 10}}, message);
  EXPECT_THAT(Names(InOrder(PointsOf(message))), ElementsAre("loss 1/2", "loss 1/1"));
}

}  // namespace
}  // namespace gp
