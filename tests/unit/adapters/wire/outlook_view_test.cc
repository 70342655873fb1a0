#include "adapters/wire/views/outlook_view.h"

#include <gtest/gtest.h>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

TEST(OutlookViews, WhatIsNotKnownIsAbsent) {
  v1::Forecast forecast;
  Forecast told;
  told.endless = {JobId{7}};
  ForecastView(State{}, told, &forecast);
  EXPECT_FALSE(forecast.has_median() || forecast.has_earliest() || forecast.has_latest());
  EXPECT_EQ(forecast.endless(0), ToText(JobId{7}));
  v1::JobCost cost;
  CostView({}, &cost);
  EXPECT_FALSE(cost.has_gpu_hours() || cost.has_gpu_hours_low() || cost.has_gpu_hours_high());
}

TEST(OutlookViews, GpuHoursCountShares) {
  Cost cost;
  cost.share = 1'500;
  cost.source = LengthSource::kPast;
  cost.shortest = Duration::Minutes(30);
  cost.median = Duration::Minutes(60);
  cost.longest = Duration::Minutes(120);
  cost.allowances = {{"research", "ana", int64_t{3'600'000} * kWholeShare * 5 / 2,
                      int64_t{3'600'000} * kWholeShare * 10}};
  v1::JobCost message;
  CostView(cost, &message);
  EXPECT_DOUBLE_EQ(message.gpu_hours_low(), 0.75);
  EXPECT_DOUBLE_EQ(message.gpu_hours(), 1.5);
  EXPECT_DOUBLE_EQ(message.gpu_hours_high(), 3);
  EXPECT_DOUBLE_EQ(message.limits(0).used(), 2.5);
  EXPECT_DOUBLE_EQ(message.limits(0).limit(), 10);
}

TEST(OutlookViews, OfManyNodesAndJobsTheFirstFewAreNamedAndAllCounted) {
  TestCluster cluster;
  NodeRow row;
  for (int i = 0; i < 40; ++i) {
    row.nodes.push_back(cluster.AddNode(TestCluster::MakeFacts("n" + std::to_string(i), {0, 0})));
    row.holders.push_back(JobId{static_cast<uint64_t>(i) + 1});
  }
  v1::ExplainJobReply reply;
  NodeTableView(cluster.state(), {row}, &reply);
  EXPECT_EQ(reply.nodes(0).nodes_size(), 16);
  EXPECT_EQ(reply.nodes(0).nodes(15), "n15");
  EXPECT_EQ(reply.nodes(0).count(), 40);
  EXPECT_EQ(reply.nodes(0).holders_size(), 16);
  EXPECT_EQ(reply.nodes(0).holder_count(), 40);
}

}  // namespace
}  // namespace gp
