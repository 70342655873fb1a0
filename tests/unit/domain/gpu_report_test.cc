#include <gtest/gtest.h>

#include "domain/cluster/nodes/faults.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr int kUncontained = 95;

// A node whose GPU 0 has failed, was reset and is being tested.
class GpuReport : public testing::Test {
 protected:
  GpuReport() {
    node_ = cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0}));
    Tell({Xid(1)}, {});
    EXPECT_TRUE(cluster_.Execute(Tick{}));
    Tell({}, {{0, Task().task_number, true, ""}});
    EXPECT_EQ(Task().task, GpuTask::kTest);
    cluster_.Advance(Duration::Seconds(1));
  }
  void Tell(std::vector<FaultSignal> signals, std::vector<GpuTaskResult> results) {
    ASSERT_TRUE(cluster_.Execute(ReportGpus{node_, 1, std::move(signals), std::move(results)}));
  }
  FaultSignal Xid(uint64_t number) {
    FaultSignal signal;
    signal.number = number;
    signal.xid = kUncontained;
    return signal;
  }
  GpuTrouble Task() { return *FindTrouble(cluster_.state(), {node_, 0}); }
  GpuCondition Condition() { return cluster_.state().FindNode(node_)->gpus[0].condition; }

  TestCluster cluster_;
  NodeId node_;
};

// The test was done before: what it says of the GPU is out of date.
TEST_F(GpuReport, AnErrorAndTheTestThatItFollowsInOneReport) {
  Tell({Xid(2)}, {{0, Task().task_number, true, ""}});
  EXPECT_EQ(Condition(), GpuCondition::kQuarantined);
  EXPECT_EQ(Task().task, GpuTask::kNone);
  EXPECT_GE(Task().remedy, GpuRemedy::kReset);
  EXPECT_TRUE(cluster_.broken().empty());
  EXPECT_TRUE(cluster_.ReplayAgrees());
}

TEST_F(GpuReport, AGpuThatIsLostInTheReportOfItsTest) {
  FaultSignal lost = Xid(2);
  lost.kind = SignalKind::kLost;
  Tell({lost}, {{0, Task().task_number, true, ""}});
  EXPECT_EQ(Condition(), GpuCondition::kLost);
  EXPECT_TRUE(cluster_.broken().empty());
}

TEST_F(GpuReport, AResultThatIsToldTwice) {
  const uint64_t number = Task().task_number;
  Tell({}, {{0, number, true, ""}, {0, number, false, "no"}});
  EXPECT_EQ(Condition(), GpuCondition::kAvailable);
  EXPECT_TRUE(cluster_.broken().empty());
}

}  // namespace
}  // namespace gp
