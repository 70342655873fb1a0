// Who may have a job run longer while others wait.

#include <gtest/gtest.h>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr Duration kHour = Duration::Minutes(60);

class TimeLimits : public testing::Test {
 protected:
  TimeLimits() {
    cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0, 0, 0}));
    running_ = Submit({"ana", 1, 1}, kHour);
    cluster_.Pass();
  }
  ~TimeLimits() override {
    for (const std::string& broken : cluster_.broken()) ADD_FAILURE() << broken;
    EXPECT_TRUE(cluster_.ReplayAgrees());
  }

  JobId Submit(const User& user, Duration limit, const std::string& queue = "") {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.count = 4;
    spec.policy.time_limit = limit;
    spec.policy.queue = queue;
    EXPECT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), user}));
    return {cluster_.state().jobs.last};
  }
  // What stands against two hours; empty: nothing.
  std::string Refusal(bool force = false) {
    const auto done = cluster_.Execute(ChangeTimeLimit{running_, {}, kHour, force});
    return done ? "" : done.error().message;
  }

  TestCluster cluster_;
  JobId running_;
};

TEST_F(TimeLimits, NobodyWaits) { EXPECT_EQ(Refusal(), ""); }

TEST_F(TimeLimits, OnesOwnJobsMayWait) {
  Submit({"ana", 1, 1}, {});
  cluster_.Advance(Duration::Minutes(5));
  EXPECT_EQ(Refusal(), "");
}

TEST_F(TimeLimits, WhoHasWaitedForLongCountsOnIt) {
  StartController patient{TestPolicy()};
  patient.policy.reserve_after = Duration::Minutes(5);
  ASSERT_TRUE(cluster_.Execute(patient));
  const JobId waits = Submit({"eve", 2, 2}, {});
  cluster_.Advance(Duration::Minutes(5) - Duration::Milliseconds(1));
  EXPECT_EQ(Refusal(), "") << "not for long yet";
  cluster_.Advance(Duration::Milliseconds(1));
  EXPECT_EQ(Refusal(), ToText(waits) +
                           " waits in pool default for more than 5m: an operator of the cluster "
                           "can force it");
  EXPECT_EQ(Refusal(true), "");
}

TEST_F(TimeLimits, NobodyCountsOnItBeforeNodesAreKeptForHim) {
  JobSpec spec;
  spec.program.command = {"run"};
  spec.resources.gpus.count = 1;
  ASSERT_TRUE(
      cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), User{"eve", 2, 2}}));
  cluster_.Advance(Duration::Minutes(1));
  EXPECT_EQ(Refusal(), "") << "for one GPU none is kept so soon";
  cluster_.Advance(Duration::Minutes(4));
  EXPECT_NE(Refusal(), "");
}

TEST_F(TimeLimits, WhoWaitsElsewhereDoesNot) {
  const NodeId other = cluster_.AddNode(TestCluster::MakeFacts("n2", {0}));
  ChangeNode change;
  change.node = other;
  change.pool = "dev";
  EXPECT_TRUE(cluster_.Execute(change));
  SetQueue dev;
  dev.name = dev.pool.emplace("dev");
  EXPECT_TRUE(cluster_.Execute(dev));
  Submit({"eve", 2, 2}, {}, "dev");
  cluster_.Advance(Duration::Minutes(10));
  EXPECT_EQ(Refusal(), "");
}

TEST_F(TimeLimits, ABudgetThatRefusesIsUsedUp) {
  SetBudget set;
  set.key = {"", "ana", ""};
  set.gpu_hours = 1;
  set.over = OverBudget::kRefuse;
  EXPECT_TRUE(cluster_.Execute(set));
  cluster_.Advance(Duration::Minutes(30));
  EXPECT_EQ(
      Refusal(),
      "the budget of all queues, user ana for this month is used up (gpu-platform budget list)");
  EXPECT_EQ(Refusal(true), "");
}

}  // namespace
}  // namespace gp
