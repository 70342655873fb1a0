#include "cmd/metrics/series_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/time.h"

namespace gp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct PointSeen {
  int attempt = 1;
  int64_t step = 0;
  int second = 0;
  int64_t count = 1;
};

void AddSeries(const std::string& name, int rank, const std::vector<PointSeen>& points,
               v1::GetJobMetricsReply& reply) {
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

v1::GetJobMetricsReply Loss(const std::vector<PointSeen>& points) {
  v1::GetJobMetricsReply reply;
  AddSeries("loss", 0, points, reply);
  return reply;
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

TEST(MetricCursor, GivesEachPointOnce) {
  MetricCursor cursor;
  EXPECT_THAT(Names(cursor.TakeNew(Loss({{1, 1, 1}}))), ElementsAre("loss 1/1"));
  EXPECT_THAT(Names(cursor.TakeNew(Loss({{1, 1, 1}}))), IsEmpty());
  EXPECT_THAT(Names(cursor.TakeNew(Loss({{1, 1, 1}, {1, 2, 2}, {1, 3, 3}}))),
              ElementsAre("loss 1/2", "loss 1/3"));
}

TEST(MetricCursor, APointOfTheSameTimeAndStepIsAnotherPoint) {
  MetricCursor cursor;
  EXPECT_THAT(cursor.TakeNew(Loss({{1, 1, 1}})), testing::SizeIs(1));
  EXPECT_THAT(cursor.TakeNew(Loss({{1, 1, 1}, {1, 1, 1}})), testing::SizeIs(1));
}

TEST(MetricCursor, AnAttemptThatGoesBackIsNew) {
  MetricCursor cursor;
  EXPECT_THAT(cursor.TakeNew(Loss({{1, 1, 1}, {1, 2, 2}})), testing::SizeIs(2));
  EXPECT_THAT(Names(cursor.TakeNew(Loss({{1, 1, 1}, {1, 2, 2}, {2, 1, 5}}))),
              ElementsAre("loss 2/1"));
}

TEST(MetricCursor, WhatALostNodeSendsLateIsNew) {
  MetricCursor cursor;
  EXPECT_THAT(cursor.TakeNew(Loss({{1, 1, 1}, {2, 1, 5}})), testing::SizeIs(2));
  EXPECT_THAT(Names(cursor.TakeNew(Loss({{1, 1, 1}, {1, 2, 2}, {2, 1, 5}}))),
              ElementsAre("loss 1/2"));
}

TEST(MetricCursor, RanksAndNamesAreCountedByThemselves) {
  MetricCursor cursor;
  v1::GetJobMetricsReply reply;
  AddSeries("loss", 0, {{1, 1, 1}}, reply);
  AddSeries("loss", 1, {{1, 1, 1}}, reply);
  EXPECT_THAT(cursor.TakeNew(reply), testing::SizeIs(2));
  AddSeries("lr", 0, {{1, 1, 1}}, reply);
  EXPECT_THAT(Names(cursor.TakeNew(reply)), ElementsAre("lr 1/1"));
}

TEST(MetricCursor, OfJoinedNeighboursThoseWithNewValuesAreNew) {
  MetricCursor cursor;
  EXPECT_THAT(cursor.TakeNew(Loss({{1, 1, 1}, {1, 2, 2}, {1, 3, 3}})), testing::SizeIs(3));
  EXPECT_THAT(Names(cursor.TakeNew(Loss({{1, 2, 2, 2}, {1, 4, 4, 2}}))), ElementsAre("loss 1/4"));
  EXPECT_THAT(cursor.TakeNew(Loss({{1, 3, 3, 3}, {1, 4, 4, 1}})), IsEmpty());
}

TEST(MetricCursor, NoLastPointIsLostWhereAttemptsAreJoined) {
  MetricCursor cursor;
  EXPECT_THAT(cursor.TakeNew(Loss({{1, 1, 1}, {2, 2, 6, 3}})), testing::SizeIs(2));
  EXPECT_THAT(Names(cursor.TakeNew(Loss({{1, 2, 2, 2}, {2, 2, 6}, {2, 3, 7}}))),
              testing::Contains("loss 2/3"));
}

}  // namespace
}  // namespace gp
