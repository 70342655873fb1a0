#include "domain/placement/out_of_service.h"

#include <gtest/gtest.h>

#include "domain/explaining/explain.h"
#include "domain/explaining/present.h"
#include "domain/explaining/why_not_here.h"
#include "domain/placement/choose_gpus.h"
#include "domain/scheduling/reasons/never_fits.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

class OutOfServiceGpus : public testing::Test {
 protected:
  OutOfServiceGpus() : node_(cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0, 1, 1}))) {}

  const Node& node() const { return *cluster_.state().FindNode(node_); }

  // The node joins again without the GPUs behind the first `count`.
  void JoinWithFirst(size_t count) {
    NodeFacts facts = *node().facts;
    facts.gpus.resize(count);
    facts.links.assign(count * count, 18);
    for (size_t i = 0; i < count; ++i) facts.links[i * count + i] = 0;
    ASSERT_TRUE(cluster_.Execute(
        JoinNode{std::make_shared<const NodeFacts>(facts), node().incarnation + 1}));
  }

  static Job JobOf(int gpus) {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.count = gpus;
    Job job;
    job.user = {"ana", 1, 1};
    job.queue = kDefaultQueue;
    job.pool = kDefaultPool;
    job.spec = std::make_shared<const JobSpec>(spec);
    return job;
  }

  TestCluster cluster_;
  NodeId node_;
};

TEST_F(OutOfServiceGpus, AreNoneOfANodeThatIsWell) {
  EXPECT_EQ(OutOfService(node(), 4), 0U);
  EXPECT_EQ(WhyNotHere(node(), JobOf(4)), "");
}

TEST_F(OutOfServiceGpus, AMissingOneWouldDoOnceItIsBack) {
  JoinWithFirst(3);
  EXPECT_EQ(OutOfService(node(), 4), GpuMask{1} << 3);
  EXPECT_STREQ(WhatAils(node(), 3), "is missing");
  EXPECT_FALSE(Fits(node(), JobOf(4)));
  EXPECT_TRUE(Fits(Repaired(node()), JobOf(4)));
  EXPECT_TRUE(Fits(Ideal(node()), JobOf(4)));
  EXPECT_EQ(WhyNotHere(node(), JobOf(4)), "GPU 3 is missing");
}

// It may come back: a job that needs it is taken in and waits.
TEST_F(OutOfServiceGpus, NoJobIsRefusedForAMissingOne) {
  JoinWithFirst(3);
  EXPECT_EQ(WhyNeverFits(cluster_.state(), JobOf(4)), "");
}

// An explanation is made of a copy that knows of no incidents.
TEST_F(OutOfServiceGpus, AnExplanationNamesTheIncident) {
  JoinWithFirst(3);
  ASSERT_TRUE(cluster_.Execute(SubmitJob{JobOf(4).spec, {"ana", 1, 1}}));
  cluster_.Pass();
  const Present present = TakePresent(cluster_.state());
  const Job& job = *present.state.FindJob(JobId{1});
  const std::string text =
      "waits for 4 GPUs: 3 free, 0 of 1 node could take a rank now; GPU 3 of n1 is missing";
  EXPECT_EQ(Explain(present.state, cluster_.now(), job, &present.incidents).reasons.front().text,
            text + " (incident-1)");
  EXPECT_EQ(Explain(cluster_.state(), cluster_.now(), job).reasons.front().text,
            text + " (incident-1)");
}

TEST_F(OutOfServiceGpus, ARetiredOneIsNotOfTheNode) {
  JoinWithFirst(3);
  const IncidentId incident = cluster_.state().faults.incidents.begin()->first;
  ASSERT_TRUE(cluster_.Execute(ChangeIncident{incident, IncidentState::kClosed, ""}));
  EXPECT_EQ(OutOfService(node(), 4), 0U);
  EXPECT_FALSE(Fits(Repaired(node()), JobOf(4)));
  EXPECT_EQ(WhyNeverFits(cluster_.state(), JobOf(4)),
            "no node has 4 GPUs; the largest has 3 (request several nodes: --nodes 2)");
}

TEST_F(OutOfServiceGpus, WhatIsGrantedStaysSo) {
  ASSERT_TRUE(cluster_.Execute(SubmitJob{JobOf(1).spec, {"ana", 1, 1}}));
  cluster_.Pass();
  ASSERT_TRUE(cluster_.Execute(ChangeService{node_, 3, ServiceAction::kOffline, false, "test"}));
  EXPECT_TRUE(Fits(Repaired(node()), JobOf(3)));
  EXPECT_FALSE(Fits(Repaired(node()), JobOf(4)));
}

TEST_F(OutOfServiceGpus, EachSaysWhatIsTheMatter) {
  ASSERT_TRUE(cluster_.Execute(ChangeService{node_, 1, ServiceAction::kOffline, false, "test"}));
  EXPECT_STREQ(WhatAils(node(), 1), "is offline");
  ASSERT_TRUE(cluster_.Execute(ChangeService{node_, 1, ServiceAction::kOnline, false, "test"}));
  EXPECT_STREQ(WhatAils(node(), 1), "is being tested");
  ASSERT_TRUE(cluster_.Execute(ChangeService{node_, 2, ServiceAction::kOffline, false, "test"}));
  EXPECT_EQ(WhyNotHere(node(), JobOf(4)), "GPU 1 is being tested and 1 more is out of service");
}

// An NVLink that is down keeps only work of several GPUs away.
TEST_F(OutOfServiceGpus, ALinkThatIsDownCountsForSeveralGpus) {
  Node unlinked = node();
  unlinked.gpus[2].condition = GpuCondition::kUnlinked;
  EXPECT_EQ(OutOfService(unlinked, 1), 0U);
  EXPECT_EQ(OutOfService(unlinked, 2), GpuMask{1} << 2);
  EXPECT_STREQ(WhatAils(unlinked, 2), "has an NVLink down");
  unlinked.gpus[2].draining = true;
  EXPECT_STREQ(WhatAils(unlinked, 2), "is draining");
}

}  // namespace
}  // namespace gp
