// What a divided GPU can become, and what it is granted.

#include "domain/model/nodes/mig.h"

#include <gtest/gtest.h>

#include "domain/cluster/quotas/grants.h"
#include "tests/support/mig_models.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

int SmallestId(const MigTable& table, int share, int64_t memory_mib) {
  const MigProfile* profile = table.Smallest(share, memory_mib);
  return profile == nullptr ? kNoMig : profile->id;
}

TEST(MigTable, GivesTheSmallestInstanceThatHasAsMuch) {
  const MigTable table = A100Mig();
  EXPECT_EQ(SmallestId(table, 100, 0), 19);
  EXPECT_EQ(SmallestId(table, 142, 0), 19);  // a seventh is 142.86 thousandths
  EXPECT_EQ(SmallestId(table, 143, 0), 14);
  EXPECT_EQ(SmallestId(table, 0, 4'864), 19);
  EXPECT_EQ(SmallestId(table, 0, 4'865), 15);  // more memory, no more compute
  EXPECT_EQ(SmallestId(table, 143, 9'856), 14);
  EXPECT_EQ(SmallestId(table, 400, 0), 9);
  EXPECT_EQ(SmallestId(table, 500, 0), 5);
  EXPECT_EQ(SmallestId(table, 999, 0), 0);
  EXPECT_EQ(SmallestId(table, 0, 39'937), kNoMig);
}

TEST(MigTable, PutsAnInstanceWhereTheLeastIsLost) {
  const MigTable table = A100Mig();
  const MigProfile& one = *table.Find(19);
  MigSlices taken = 0;
  std::vector<int> starts;
  for (int i = 0; i < 7; ++i) {
    starts.push_back(table.ChooseStart(one, taken));
    taken |= SlicesAt(one, starts.back());
  }
  // The last slice first, which no pair needs; the left half, where four slices of compute could
  // be, last.
  EXPECT_EQ(starts, (std::vector<int>{6, 4, 5, 0, 1, 2, 3}));
  EXPECT_EQ(table.ChooseStart(one, taken), kNoMig);
  EXPECT_EQ(table.ChooseStart(*table.Find(9), 0), 4);
  EXPECT_EQ(table.ChooseStart(*table.Find(0), 0b1000), kNoMig);
}

TEST(MigTable, KnowsWhatIsLost) {
  const MigTable table = A100Mig();
  EXPECT_EQ(table.LossAt(*table.Find(0), 0, 0), 8 + 4 + 2 * 4 + 3 * 2 + 4 * 2 + 7);
  EXPECT_EQ(table.LossAt(*table.Find(19), 6, 0), 8 + 4 + 2 + 1);
}

TEST(MigTable, RefusesWhatNoGpuCanHave) {
  EXPECT_TRUE(ValidateMigTable({}, 1));
  EXPECT_TRUE(ValidateMigTable(A100Mig(), 40'442));
  EXPECT_TRUE(ValidateMigTable({1, 1, {}}, 1));  // in MIG mode, and nobody knows more
  const auto refused = [](auto edit) {
    MigTable table = A100Mig();
    edit(table);
    return !ValidateMigTable(table, 40'442).has_value();
  };
  EXPECT_TRUE(refused([](MigTable& table) { table.memory_slices = 17; }));
  EXPECT_TRUE(refused([](MigTable& table) { table.memory_slices = 0; }));
  EXPECT_TRUE(refused([](MigTable& table) { table.compute_slices = 6; }));
  EXPECT_TRUE(refused([](MigTable& table) { table.profiles[1].starts = 0; }));
  EXPECT_TRUE(refused([](MigTable& table) { table.profiles[1].starts = 0b10'0000; }));
  EXPECT_TRUE(refused([](MigTable& table) { table.profiles[1].starts = ~MigSlices{0}; }));
  EXPECT_TRUE(refused([](MigTable& table) { table.profiles[1].memory_slices = 0; }));
  EXPECT_TRUE(refused([](MigTable& table) { table.profiles[1].memory_mib = 40'443; }));
  EXPECT_TRUE(refused([](MigTable& table) { table.profiles[1].id = 0; }));
  EXPECT_TRUE(refused([](MigTable& table) { std::swap(table.profiles[1], table.profiles[2]); }));
  EXPECT_TRUE(refused([](MigTable& table) { table.profiles.resize(100, table.profiles[0]); }));
}

class MigGrants : public testing::Test {
 protected:
  MigGrants() {
    NodeFacts facts = TestCluster::MakeFacts("n1", {0, 0}, 0, 40'442);
    facts.gpus[0].mig = A100Mig();
    cluster_.AddNode(facts);
  }
  Status Place(const std::string& user, GpuGrant grant) {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.isolation = Isolation::kMig;
    spec.resources.gpus.share_thousandths = 250;
    spec.resources.memory_bytes = 1 << 20;
    GP_CHECK_OK(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {user, 1, 1}}));
    const auto placed = cluster_.Execute(
        PlaceGang{1, {cluster_.state().jobs.last}, {{{0}, {grant}, {{0, {}, 1}}}}, "", 0});
    return placed ? Ok() : Fail(placed.error());
  }
  const Gpu& GpuAt(size_t gpu) const { return cluster_.state().nodes.all[0].gpus[gpu]; }

  TestCluster cluster_;
};

TEST_F(MigGrants, KeepInstancesApartAndNotUsers) {
  EXPECT_TRUE(Place("ana", {0, 285, 9'856, 14, 2}));
  EXPECT_TRUE(Place("ben", {0, 285, 9'856, 14, 4}));
  EXPECT_EQ(GpuAt(0).mig_slices, 0b11'1100u);
  EXPECT_EQ(GpuAt(0).owner, "");
  EXPECT_EQ(GpuAt(0).mode, GpuMode::kMig);
  EXPECT_TRUE(cluster_.broken().empty());
  EXPECT_TRUE(cluster_.ReplayAgrees());
}

TEST_F(MigGrants, RefuseWhatNoInstanceCanBe) {
  EXPECT_FALSE(Place("ana", {1, 285, 9'856, 14, 2}));  // not in MIG mode
  EXPECT_FALSE(Place("ana", {0, 285, 9'856, 14, 1}));  // no such place
  EXPECT_FALSE(Place("ana", {0, 285, 9'856, 14, 6}));  // nor this, though it is within
  EXPECT_FALSE(Place("ana", {0, 285, 9'856, 14, kNoMig}));
  EXPECT_FALSE(Place("ana", {0, 285, 9'856, 14, 1 << 20}));
  EXPECT_FALSE(Place("ana", {0, 142, 4'864, 19, 2}));  // less than asked
  EXPECT_FALSE(Place("ana", {0, 428, 19'968, 9, 0}));  // more than asked
  EXPECT_FALSE(Place("ana", {0, 285, 9'857, 14, 2}));
  EXPECT_TRUE(Place("ana", {0, 285, 9'856, 14, 2}));
  EXPECT_FALSE(Place("ana", {0, 285, 9'856, 14, 2}));  // taken
  EXPECT_TRUE(cluster_.broken().empty());
}

TEST_F(MigGrants, LeaveTheGpuAsItWas) {
  ASSERT_TRUE(Place("ana", {0, 285, 9'856, 14, 2}));
  ASSERT_TRUE(Place("ben", {0, 285, 9'856, 14, 4}));
  LeaseObservation ended;
  ended.lease = GpuAt(0).leases[0];
  ended.ended = true;
  ASSERT_TRUE(cluster_.Execute(ReportNode{{0}, 1, {ended}, {}}));
  EXPECT_EQ(GpuAt(0).mig_slices, 0b11'0000u);
  ended.lease = GpuAt(0).leases[0];
  ASSERT_TRUE(cluster_.Execute(ReportNode{{0}, 1, {ended}, {}}));
  EXPECT_EQ(GpuAt(0).mig_slices, 0u);
  EXPECT_EQ(GpuAt(0).mode, GpuMode::kFree);
  EXPECT_TRUE(cluster_.broken().empty());
}

TEST_F(MigGrants, WhoHoldsAGpuThatComesBackOtherwiseDividedIsEnded) {
  ASSERT_TRUE(Place("ana", {0, 285, 9'856, 14, 2}));
  NodeFacts facts = *cluster_.state().nodes.all[0].facts;
  facts.gpus[1].mig = A100Mig();  // nobody is there
  LeaseObservation running;
  running.lease = GpuAt(0).leases[0];
  running.running = true;
  const auto join = [&] {
    return cluster_.Execute(JoinNode{
        std::make_shared<const NodeFacts>(facts), 2, false, {running}, cluster_.state().lineage});
  };
  EXPECT_TRUE(join());
  EXPECT_FALSE(cluster_.state().nodes.all[0].facts->gpus[1].mig.empty());
  facts.gpus[0].mig = {};
  const auto joined = join();
  ASSERT_TRUE(joined) << joined.error().message;
  const Lease& lease = *cluster_.state().FindLease(running.lease);
  EXPECT_EQ(lease.stop, StopOrder::kKill);
  EXPECT_FALSE(cluster_.state().nodes.all[0].facts->gpus[0].mig.empty()) << "until it is gone";
  running.running = false;
  running.ended = true;
  running.outcome.end = LeaseEnd::kStopped;
  ASSERT_TRUE(join());
  running.lease = {0};
  ASSERT_TRUE(join());
  EXPECT_TRUE(cluster_.state().nodes.all[0].facts->gpus[0].mig.empty());
  EXPECT_TRUE(cluster_.broken().empty()) << cluster_.broken().front();
}

}  // namespace
}  // namespace gp
