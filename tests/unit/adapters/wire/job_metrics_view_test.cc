#include "adapters/wire/views/job_metrics_view.h"

#include <gtest/gtest.h>

#include <limits>

namespace gp {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

MetricPoint Point(int64_t step, double value, const std::string& name = "loss") {
  return {name, step, {step * 1'000'000'000}, 1, value, value, value};
}

MetricRecords OfAttempt(int attempt, std::vector<MetricPoint> points, int rank = 0) {
  return {{{1}, attempt, rank}, {1}, std::move(points)};
}

v1::GetJobMetricsReply View(const std::vector<MetricRecords>& records,
                            const MetricSelection& selection = {}) {
  v1::GetJobMetricsReply reply;
  JobMetricsView(records, selection, &reply);
  return reply;
}

std::vector<int64_t> Steps(const v1::MetricSeries& series) {
  std::vector<int64_t> steps;
  for (const auto& point : series.points()) steps.push_back(point.step());
  return steps;
}

using Numbers = std::vector<int64_t>;

TEST(JobMetricsView, ASeriesForEachNameAndRank) {
  const auto reply = View({OfAttempt(1, {Point(1, 3), Point(1, 0.1, "acc"), Point(2, 2)}),
                           OfAttempt(1, {Point(1, 4)}, 1)});
  ASSERT_EQ(reply.series_size(), 3);
  EXPECT_EQ(reply.series(0).name(), "acc");
  EXPECT_EQ(reply.series(1).name(), "loss");
  EXPECT_EQ(Steps(reply.series(1)), (Numbers{1, 2}));
  EXPECT_EQ(reply.series(1).last().last(), 2);
  EXPECT_EQ(reply.series(2).rank(), 1);
}

TEST(JobMetricsView, OnlyTheNamesThatWereAskedFor) {
  const auto reply =
      View({OfAttempt(1, {Point(1, 3), Point(1, 0.1, "acc")})}, {.names = {"acc", "none"}});
  ASSERT_EQ(reply.series_size(), 1);
  EXPECT_EQ(reply.series(0).name(), "acc");
}

// The second attempt resumed at step 2, and the third one at step 3.
TEST(JobMetricsView, WhatLaterAttemptsComputedAgainIsLeftOut) {
  const std::vector<MetricRecords> records = {
      OfAttempt(1, {Point(1, 10), Point(2, 11), Point(3, 12), Point(4, 13)}),
      OfAttempt(2, {Point(3, 20), Point(4, 21), Point(5, 22)}), OfAttempt(3, {Point(4, 30)})};
  const auto reply = View(records);
  const v1::MetricSeries& series = reply.series(0);
  EXPECT_EQ(Steps(series), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(series.points(2).last(), 20);
  EXPECT_EQ(series.points(2).attempt(), 2);
  EXPECT_EQ(series.points(3).last(), 30);
  EXPECT_EQ(Steps(View(records, {.superseded = true}).series(0)),
            (Numbers{1, 2, 3, 4, 3, 4, 5, 4}));
}

TEST(JobMetricsView, AJobThatBeginsAgainSupersedesAll) {
  const auto reply =
      View({OfAttempt(1, {Point(1, 10), Point(2, 11)}), OfAttempt(2, {Point(1, 5)})});
  EXPECT_EQ(Steps(reply.series(0)), (Numbers{1}));
}

TEST(JobMetricsView, NeighboursAreJoined) {
  std::vector<MetricPoint> points;
  for (int step = 1; step <= 10; ++step)
    points.push_back(Point(step, step % 2 == 0 ? -step : step));
  const auto reply = View({OfAttempt(1, points)}, {.points_max = 3});
  const v1::MetricSeries& series = reply.series(0);
  EXPECT_EQ(Steps(series), (Numbers{4, 7, 10}));
  EXPECT_EQ(series.points(0).count(), 4);
  EXPECT_EQ(series.points(0).min(), -4);
  EXPECT_EQ(series.points(0).max(), 3);
  EXPECT_EQ(series.points(0).last(), -4);
  EXPECT_EQ(series.points(2).max(), 9);
}

TEST(JobMetricsView, NanIsToldWithTheStepSinceWhichItIs) {
  const auto reply = View({OfAttempt(1, {Point(1, kNan), Point(2, 5), Point(3, kNan),
                                         Point(4, std::numeric_limits<double>::infinity())})});
  const v1::MetricSeries& series = reply.series(0);
  EXPECT_EQ(series.not_finite_since(), 3);
  EXPECT_EQ(series.points(2).not_finite(), "nan");
  EXPECT_FALSE(series.points(2).has_last());
  EXPECT_FALSE(series.points(2).has_min());
  EXPECT_EQ(series.last().not_finite(), "inf");
}

TEST(JobMetricsView, AMetricThatIsANumberAgainIsNoNews) {
  const auto reply = View({OfAttempt(1, {Point(1, kNan), Point(2, 5)})});
  EXPECT_FALSE(reply.series(0).has_not_finite_since());
}

TEST(JobMetricsView, JoiningKeepsTheNumbersBesideNan) {
  const auto reply = View({OfAttempt(1, {Point(1, 3), Point(2, kNan)})}, {.points_max = 1});
  EXPECT_EQ(reply.series(0).points(0).min(), 3);
  EXPECT_EQ(reply.series(0).points(0).max(), 3);
  EXPECT_EQ(reply.series(0).points(0).not_finite(), "nan");
}

TEST(JobMetricsView, NanOfSupersededPointsIsNotTold) {
  const auto reply = View({OfAttempt(1, {Point(5, kNan), Point(10, kNan)}),
                           OfAttempt(2, {Point(3, kNan), Point(4, kNan)})});
  EXPECT_EQ(reply.series(0).not_finite_since(), 3);
}

TEST(JobMetricsView, ManySeriesShareTheLimitOfAnAnswer) {
  std::vector<MetricRecords> records;
  std::vector<MetricPoint> points;
  for (int step = 1; step <= 500; ++step) points.push_back(Point(step, step));
  for (int rank = 0; rank < 1'000; ++rank) records.push_back(OfAttempt(1, points, rank));
  const auto reply = View(records);
  ASSERT_EQ(reply.series_size(), 1'000);
  EXPECT_EQ(reply.series(0).points_size(), 200);
  EXPECT_EQ(reply.series(999).last().step(), 500);
}

TEST(NewPointsView, HasJustThePointsAndNoSummary) {
  v1::NewMetricPoints message;
  NewPointsView({OfAttempt(1, {Point(5, 3), Point(5, 1, "acc")}), OfAttempt(2, {Point(4, kNan)})},
                {"loss"}, &message);
  ASSERT_EQ(message.series_size(), 1);
  EXPECT_EQ(Steps(message.series(0)), (Numbers{5, 4}));
  EXPECT_EQ(message.series(0).points(1).attempt(), 2);
  EXPECT_EQ(message.series(0).points(1).not_finite(), "nan");
  EXPECT_FALSE(message.series(0).has_last());
  EXPECT_FALSE(message.series(0).has_not_finite_since());
}

}  // namespace
}  // namespace gp
