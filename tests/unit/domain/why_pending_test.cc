#include "domain/scheduling/reasons/why_pending.h"

#include <gtest/gtest.h>

#include "domain/scheduling/plan.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

// The job with one GPU, which is queued and never placed here, as a standby sees it.
TEST(WhyPending, WithoutThePlanOnlyTheLeaderKnowsWhatComesBefore) {
  TestCluster cluster;
  cluster.AddNode(TestCluster::MakeFacts("n1", {0, 0}));
  JobSpec spec;
  spec.program.command = {"run"};
  spec.resources.gpus.count = 1;
  ASSERT_TRUE(cluster.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 5, 6}}));
  spec.resources.gpus.count = 64;
  spec.policy.wait_for_nodes = true;
  ASSERT_TRUE(cluster.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 5, 6}}));
  const Plan unknown{.is_unknown = true};
  PendingReasons reasons(cluster.state(), cluster.now(), &unknown);
  EXPECT_EQ(reasons.Of(*cluster.state().FindJob({1})).text,
            "fits now; only the leader knows which jobs come before it");
  const Plan none;
  PendingReasons before_a_pass(cluster.state(), cluster.now(), &none);
  EXPECT_EQ(before_a_pass.Of(*cluster.state().FindJob({1})).text,
            "fits now; starts with the next pass");
  EXPECT_EQ(reasons.Of(*cluster.state().FindJob({2})).text,
            before_a_pass.Of(*cluster.state().FindJob({2})).text)
      << "what does not fit needs no plan";
}

}  // namespace
}  // namespace gp
