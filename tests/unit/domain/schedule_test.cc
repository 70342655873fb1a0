#include "domain/scheduling/planner.h"

#include <gtest/gtest.h>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

class Scheduling : public testing::Test {
 protected:
  void AddNodes(int count) {
    for (int i = 0; i < count; ++i) {
      cluster_.AddNode(TestCluster::MakeFacts("n" + std::to_string(next_node_++), {0, 0, 1, 1}));
    }
  }
  JobId Submit(int gpus, int nodes = 1, int priority = 500) {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.count = gpus;
    spec.resources.nodes = nodes;
    spec.policy.priority = priority;
    EXPECT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}})
                    .has_value());
    return {cluster_.state().jobs.last};
  }
  std::string Planned() const {
    std::string text;
    for (const PlaceGang& place : Schedule(cluster_.state(), cluster_.now()).Placements()) {
      text += (text.empty() ? "" : " ") + std::to_string(place.job.value);
      for (const RankPlacement& rank : place.ranks)
        text += "@" + cluster_.state().FindNode(rank.node)->facts->name;
    }
    return text;
  }
  void TearDown() override { EXPECT_TRUE(cluster_.broken().empty()) << cluster_.broken().front(); }

  TestCluster cluster_;
  int next_node_ = 1;
};

TEST_F(Scheduling, PriorityThenWhoCameFirst) {
  AddNodes(1);
  Submit(1);
  Submit(1);
  Submit(1, 1, 900);
  EXPECT_EQ(Planned(), "3@n1 1@n1 2@n1");
}

TEST_F(Scheduling, SmallerJobsPassOneThatDoesNotFit) {
  StartController patient{TestPolicy()};
  patient.policy.reserve_after = Duration::Minutes(5);
  ASSERT_TRUE(cluster_.Execute(patient));
  AddNodes(1);
  Submit(1);
  cluster_.Pass();
  Submit(4);
  Submit(2);
  EXPECT_EQ(Planned(), "3@n1");
}

TEST_F(Scheduling, PlansAWholePassWithoutContradiction) {
  AddNodes(2);
  for (int i = 0; i < 6; ++i) Submit(2);
  EXPECT_EQ(Planned(), "1@n1 2@n1 3@n2 4@n2");
  EXPECT_EQ(cluster_.Pass().size(), 4u);
  EXPECT_EQ(Planned(), "");
}

TEST_F(Scheduling, AJobGetsNodesThatOfferWhatItNeeds) {
  for (const std::string& feature : {"", "network-none", "images"}) {
    NodeFacts facts = TestCluster::MakeFacts("n" + std::to_string(next_node_++), {0, 0, 1, 1});
    facts.features = {feature.empty() ? "other" : feature};
    cluster_.AddNode(facts);
  }
  JobSpec spec;
  spec.program.command = {"run"};
  spec.program.image = "dir:/i";
  const auto submit = [&] {
    ASSERT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}}));
  };
  submit();
  spec.program.image = "";
  spec.program.network = NetworkAccess::kNone;
  submit();
  spec.program.image = "dir:/i";
  submit();  // no node offers both
  EXPECT_EQ(Planned(), "1@n3 2@n2");
}

TEST_F(Scheduling, AGangTakesAllItsNodesOrNone) {
  AddNodes(2);
  Submit(4, 3);
  Submit(3, 2);
  EXPECT_EQ(Planned(), "2@n1@n2");
}

TEST_F(Scheduling, FillsTheNodeThatIsBegun) {
  AddNodes(3);
  Submit(2);
  cluster_.Pass();
  Submit(2);
  EXPECT_EQ(Planned(), "2@n1");
}

// A policy may let others pass for a while.
TEST_F(Scheduling, ReservesAfterTheTimeAndNotBefore) {
  StartController patient{TestPolicy()};
  patient.policy.reserve_after = Duration::Minutes(5);
  ASSERT_TRUE(cluster_.Execute(patient));
  AddNodes(2);
  Submit(1);
  cluster_.Pass();
  Submit(4, 2);
  Submit(1);
  cluster_.Advance(Duration::Seconds(299));
  EXPECT_EQ(Planned(), "3@n1");
  cluster_.Advance(Duration::Seconds(1));
  EXPECT_EQ(Planned(), "");
}

TEST_F(Scheduling, ReservesAtOnceForSeveralGpusAndLaterForOne) {
  AddNodes(1);
  Submit(3);
  cluster_.Pass();
  Submit(2);
  Submit(1);
  EXPECT_EQ(Planned(), "") << "two GPUs together are waited for";
  ASSERT_TRUE(cluster_.Execute(StopJob{JobId{2}, false}));
  cluster_.Pass();
  const JobId one = Submit(1);
  EXPECT_TRUE(Schedule(cluster_.state(), cluster_.now()).backfill.empty());
  cluster_.Advance(Duration::Minutes(5));
  const Plan plan = Schedule(cluster_.state(), cluster_.now());
  ASSERT_EQ(plan.backfill.size(), 1u);
  EXPECT_EQ(plan.backfill.begin()->second.job, one);
}

TEST_F(Scheduling, ReservesOnlyAsManyNodesAsAreNeededTheEmptiestFirst) {
  AddNodes(3);
  for (const int gpus : {2, 1, 1}) {
    Submit(gpus);
    cluster_.Pass();
  }
  ASSERT_EQ(cluster_.state().nodes.all[0].leases.size(), 3u);  // n1 is full
  Submit(2);
  cluster_.Pass();  // n2 has two left, n3 four
  Submit(3, 2);
  cluster_.Advance(Duration::Minutes(5));
  Submit(1);
  // n3 and n2 are kept; n1 is full.
  EXPECT_EQ(Planned(), "");
  AddNodes(1);
  EXPECT_EQ(Planned(), "5@n3@n4 6@n3");
}

TEST_F(Scheduling, WhatOneUserCannotGetAnotherMay) {
  AddNodes(1);
  const auto submit_half = [this](const std::string& user) {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.isolation = Isolation::kTimeslice;
    spec.resources.gpus.share_thousandths = 500;
    ASSERT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {user, 1, 1}})
                    .has_value());
  };
  submit_half("ben");
  cluster_.Pass();
  Submit(3);
  cluster_.Pass();
  submit_half("ana");
  submit_half("ben");
  EXPECT_EQ(Planned(), "4@n1");
}

TEST_F(Scheduling, APlanIsAFunctionOfTheState) {
  AddNodes(3);
  for (int i = 0; i < 9; ++i) Submit(1 + i % 3, 1 + i % 2);
  const Plan plan = Schedule(cluster_.state(), cluster_.now());
  EXPECT_EQ(plan.Placements(), Schedule(cluster_.state(), cluster_.now()).Placements());
  EXPECT_FALSE(plan.Placements().empty());
}

TEST_F(Scheduling, NodesThatTakeNoWorkAreLeftOut) {
  AddNodes(3);
  ASSERT_TRUE(cluster_.Execute(ExpireHeartbeat{{0}}).has_value());
  ASSERT_TRUE(
      cluster_.Execute(ChangeService{{1}, -1, ServiceAction::kDrain, false, "test"}).has_value());
  Submit(1);
  EXPECT_EQ(Planned(), "1@n3");
}

}  // namespace
}  // namespace gp
