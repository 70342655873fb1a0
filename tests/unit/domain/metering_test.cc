// Where the time of GPUs goes, by the commands that divide them.  After each of them the book adds
// up: the cluster of the tests checks that.

#include "domain/cluster/metering.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr Duration kHour = Duration::Minutes(60);

class MeteredCluster : public testing::Test {
 protected:
  ~MeteredCluster() override {
    for (const std::string& broken : cluster_.broken()) ADD_FAILURE() << broken;
    EXPECT_TRUE(cluster_.ReplayAgrees());
  }

  void Price(int64_t micros) {
    StartController start;
    start.policy = TestPolicy();
    start.policy.prices.rules = {{.pool = {},
                                  .model = "H100",
                                  .node = {},
                                  .label_name = {},
                                  .label_value = {},
                                  .per_gpu_hour = {micros}}};
    ASSERT_TRUE(cluster_.Execute(start));
  }
  NodeId AddNode(const std::string& name, int gpus) {
    return cluster_.AddNode(
        TestCluster::MakeFacts(name, std::vector<int>(static_cast<size_t>(gpus), 0)));
  }
  JobId Submit(const GpuRequest& gpus, const std::string& user = "ana") {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus = gpus;
    spec.resources.memory_bytes = 1 << 20;
    spec.recovery.checkpoint.directory = "/ckpt";
    EXPECT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {user, 1, 1}}));
    cluster_.Pass();
    return {cluster_.state().jobs.last};
  }
  JobId SubmitWhole(int gpus) {
    GpuRequest request;
    request.count = gpus;
    return Submit(request);
  }
  JobId SubmitPart(int share, int64_t memory_mib = 0) {
    GpuRequest request;
    request.isolation = Isolation::kTimeslice;
    request.share_thousandths = share;
    request.memory_mib = memory_mib;
    return Submit(request);
  }
  const Job& JobOf(JobId id) const { return *cluster_.state().FindJob(id); }
  void Report(JobId id, LeaseObservation seen) {
    const Lease& lease = *cluster_.state().FindLease(JobOf(id).leases.at(0));
    seen.lease = lease.id;
    ReportNode report{lease.node, 1, {}, {}};
    for (const LeaseId other : cluster_.state().nodes.all[lease.node.value].leases) {
      LeaseObservation running;
      running.lease = other;
      running.running = true;
      report.leases.push_back(other == lease.id ? seen : running);
    }
    ASSERT_TRUE(cluster_.Execute(report));
  }
  void End(JobId id, LeaseEnd end = LeaseEnd::kExited) {
    LeaseObservation seen;
    seen.ended = true;
    seen.outcome.end = end;
    Report(id, seen);
  }
  // The book goes on from here: a GPU is drained and taken in again.
  void Divide(NodeId node) {
    ASSERT_TRUE(
        cluster_.Execute(ChangeService{node, 0, ServiceAction::kDrain, false, "test", Duration{}}));
    ASSERT_TRUE(cluster_.Execute(
        ChangeService{node, 0, ServiceAction::kOnline, false, "test", Duration{}}));
  }
  std::map<int64_t, std::string> HoursByDay() const {
    std::map<int64_t, GpuTime> sums;
    for (const auto& [row, time] : cluster_.state().metering.used.LedgerAt(cluster_.now()).rows)
      sums[row.day] += time;
    std::map<int64_t, std::string> hours;
    for (const auto& [day, time] : sums) hours[day] = ToGpuHours(time);
    return hours;
  }
  // "jobs 1, idle 7"
  std::string Hours() const {
    std::map<UsageKind, GpuTime> sums;
    for (const auto& [row, time] : cluster_.state().metering.used.LedgerAt(cluster_.now()).rows)
      sums[row.kind] += time;
    std::string text;
    for (const auto& [kind, time] : sums)
      text += (text.empty() ? "" : ", ") + std::string(Name(kind)) + " " + ToGpuHours(time);
    return text;
  }
  std::string HoursOf(JobId id) const {
    const JobUse use = UseOf(cluster_.state(), JobOf(id), cluster_.now());
    return ToGpuHours(use.time) + " for " + ToText(use.money);
  }

  TestCluster cluster_;
};

TEST_F(MeteredCluster, AGpuIsIdleUntilAJobHasIt) {
  Price(2'000'000);
  AddNode("n1", 2);
  cluster_.Advance(kHour);
  const JobId job = SubmitWhole(1);
  cluster_.Advance(kHour);
  EXPECT_EQ(Hours(), "jobs 1, idle 3");
  EXPECT_EQ(HoursOf(job), "1 for 2.00");
  End(job);
  cluster_.Advance(kHour);
  EXPECT_EQ(Hours(), "jobs 1, idle 5");
  EXPECT_EQ(HoursOf(job), "1 for 2.00");
}

TEST_F(MeteredCluster, FourQuartersForAnHourAreOneGpuHour) {
  Price(2'000'000);
  AddNode("n1", 1);
  std::vector<JobId> jobs;
  for (int i = 0; i < 4; ++i) jobs.push_back(SubmitPart(250));
  cluster_.Advance(kHour);
  EXPECT_EQ(Hours(), "jobs 1");
  for (const JobId job : jobs) EXPECT_EQ(HoursOf(job), "0.25 for 0.50");
}

TEST_F(MeteredCluster, WhatOthersLeaveOfAGpuIsAFragment) {
  AddNode("n1", 2);
  SubmitPart(300);
  cluster_.Advance(kHour);
  EXPECT_EQ(Hours(), "jobs 0.3, idle 1, fragment 0.7");
}

TEST_F(MeteredCluster, WhoTakesAllOfTheMemoryPaysForTheWhole) {
  AddNode("n1", 1);
  SubmitPart(100, 81'559);
  cluster_.Advance(kHour);
  EXPECT_EQ(Hours(), "jobs 1");
}

TEST_F(MeteredCluster, TogetherTheyPayForNoMoreThanThereIs) {
  AddNode("n1", 1);
  const JobId compute = SubmitPart(900, 1);
  cluster_.Advance(kHour);
  const JobId memory = SubmitPart(100, 73'404);  // nine tenths of it
  cluster_.Advance(kHour);
  EXPECT_EQ(Hours(), "jobs 1.9, fragment 0.1");
  EXPECT_EQ(HoursOf(compute), "1.4 for 0.00");
  EXPECT_EQ(HoursOf(memory), "0.5 for 0.00");
}

TEST_F(MeteredCluster, ANewPriceCountsFromThenOn) {
  Price(2'000'000);
  AddNode("n1", 1);
  const JobId job = SubmitWhole(1);
  cluster_.Advance(kHour);
  Price(3'000'000);
  cluster_.Advance(kHour);
  EXPECT_EQ(HoursOf(job), "2 for 5.00");
}

TEST_F(MeteredCluster, AFaultsVictimsDoNotPayForWhatTheyLose) {
  Price(2'000'000);
  AddNode("n1", 1);
  const JobId job = SubmitWhole(1);
  cluster_.Advance(kHour);
  LeaseObservation saved;
  saved.running = true;
  saved.started_at = cluster_.now();
  Checkpoint checkpoint;
  checkpoint.attempt = 1;
  checkpoint.number = 1;
  checkpoint.path = "/ckpt/1";
  checkpoint.is_complete = true;
  checkpoint.at = cluster_.now();
  saved.checkpoints = {checkpoint};
  Report(job, saved);
  cluster_.Advance(kHour * 2);
  End(job, LeaseEnd::kSupervisorLost);
  EXPECT_EQ(HoursOf(job), "1 for 2.00");
  EXPECT_EQ(Hours(), "jobs 1, repeated 2");
}

TEST_F(MeteredCluster, WhoFailsByHimselfPays) {
  AddNode("n1", 1);
  const JobId job = SubmitWhole(1);
  cluster_.Advance(kHour);
  End(job, LeaseEnd::kOutOfMemory);
  EXPECT_EQ(Hours(), "jobs 1");
}

TEST_F(MeteredCluster, WhatIsTakenOutIsNotIdle) {
  const NodeId node = AddNode("n1", 4);
  ASSERT_TRUE(cluster_.Execute(ChangeService{node, 0, ServiceAction::kDrain, false, "test", {}}));
  ASSERT_TRUE(cluster_.Execute(ChangeService{node, 1, ServiceAction::kOffline, false, "test", {}}));
  cluster_.Advance(kHour);
  EXPECT_EQ(Hours(), "idle 2, maintained 2");
  ASSERT_TRUE(cluster_.Execute(ExpireHeartbeat{node}));
  cluster_.Advance(kHour);
  EXPECT_EQ(Hours(), "idle 2, faulty 4, maintained 2");
}

TEST_F(MeteredCluster, AnotherPoolIsAnotherRow) {
  const NodeId node = AddNode("n1", 1);
  cluster_.Advance(kHour);
  ASSERT_TRUE(cluster_.Execute(ChangeNode{node, "render", {}, {}}));
  cluster_.Advance(kHour * 2);
  UsageSums pools;
  for (const auto& [row, time] : cluster_.state().metering.used.LedgerAt(cluster_.now()).rows)
    AddTo(pools, {.kind = false, .pool = true}, row, time);
  std::map<std::string, std::string> hours;
  for (const auto& [row, sum] : pools) hours[row.pool] = ToGpuHours(sum.time);
  EXPECT_EQ(hours, (std::map<std::string, std::string>{{"default", "1"}, {"render", "2"}}));
}

TEST_F(MeteredCluster, AClockThatStepsBackTakesNothingAway) {
  AddNode("n1", 1);
  const JobId job = SubmitWhole(1);
  cluster_.Advance(kHour * 2);
  End(job);
  cluster_.Advance(kHour * -1);
  SubmitWhole(1);
  cluster_.Advance(kHour * 2);
  EXPECT_EQ(Hours(), "jobs 3");
}

// Days are those of people: they follow the wall clock when it is set, but never go back.
TEST_F(MeteredCluster, DaysAreThoseOfTheWallClock) {
  const auto wall = [&] { return cluster_.now() + cluster_.state().time.wall; };
  cluster_.Advance(kDay - Duration{wall().ns % kDay.ns});
  const NodeId node = AddNode("n1", 1);
  const int64_t today = DayOf(wall());
  cluster_.Advance(kHour);
  ASSERT_TRUE(cluster_.Execute(StepWallClock{cluster_.state().time.wall + kDay}));
  Divide(node);
  cluster_.Advance(kHour * 2);
  EXPECT_EQ(HoursByDay(), (std::map<int64_t, std::string>{{today, "1"}, {today + 1, "2"}}));
  ASSERT_TRUE(cluster_.Execute(StepWallClock{cluster_.state().time.wall - kDay}));
  Divide(node);
  cluster_.Advance(kHour * 3);
  EXPECT_EQ(HoursByDay(), (std::map<int64_t, std::string>{{today, "1"}, {today + 1, "5"}}));
}

TEST_F(MeteredCluster, WhatForgottenJobsHadStillCounts) {
  StartController start;
  start.policy = TestPolicy();
  start.policy.jobs_kept = 1;
  ASSERT_TRUE(cluster_.Execute(start));
  AddNode("n1", 1);
  for (int i = 0; i < 4; ++i) {
    const JobId job = SubmitWhole(1);
    cluster_.Advance(kHour);
    End(job);
  }
  EXPECT_EQ(ToGpuHours(cluster_.state().metering.forgotten.time), "2");
  EXPECT_EQ(Hours(), "jobs 4");
}

}  // namespace
}  // namespace gp
