#include "domain/cluster/preemption.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "domain/cluster/decide/decide.h"
#include "domain/cluster/nodes/report_of.h"
#include "domain/node/desired_state.h"
#include "domain/scheduling/victims/find_victims.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

class Preemption : public testing::Test {
 protected:
  NodeId AddNode() {
    return cluster_.AddNode(
        TestCluster::MakeFacts("n" + std::to_string(++nodes_), {0, 0, 0, 0, 1, 1, 1, 1}));
  }
  JobId Submit(int gpus, int priority, bool preemptible = true, int nodes = 1) {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.count = gpus;
    spec.resources.nodes = nodes;
    spec.policy.priority = priority;
    spec.policy.preemptible = preemptible;
    EXPECT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}}));
    return {cluster_.state().jobs.last};
  }
  JobId Run(int gpus, int priority, bool preemptible = true, int nodes = 1,
            JobState then = JobState::kRunning) {
    const JobId job = Submit(gpus, priority, preemptible, nodes);
    cluster_.Pass();
    for (const LeaseId id : cluster_.state().FindJob(job)->leases) {
      const Node& node = *cluster_.state().FindNode(cluster_.state().FindLease(id)->node);
      ReportNode report{node.id, node.incarnation, {}, {}};
      for (const LeaseId other : node.leases)
        report.leases.push_back({other, true, false, cluster_.now(), {}, {}});
      EXPECT_TRUE(cluster_.Execute(report));
    }
    EXPECT_EQ(JobOf(job).state, then);
    return job;
  }
  // The only job on node 0.
  void End(JobId job, LeaseEnd end) {
    LeaseObservation ended{
        JobOf(job).leases.front(), true, true, cluster_.now(), cluster_.now(), {end, 0, 0, ""}};
    ASSERT_TRUE(cluster_.Execute(ReportNode{NodeId{0}, 1, {ended}, {}}));
  }
  const Job& JobOf(JobId id) const { return *cluster_.state().FindJob(id); }
  std::vector<JobId> VictimsFor(JobId job) {
    const State& state = cluster_.state();
    PreemptionCandidates interruptible(state, cluster_.now());
    const auto victims = FindVictims(state, ScratchNodes(state), interruptible, {}, JobOf(job));
    return victims ? victims->jobs : std::vector<JobId>{};
  }
  std::string Refusal(JobId job, JobId by) {
    const auto decided = Decide(
        cluster_.state(),
        {cluster_.now(), "test", "", PreemptJob{1, job, by, std::vector<NodeId>(1, NodeId{0})}});
    return decided ? "" : decided.error().message;
  }
  void TearDown() override {
    EXPECT_TRUE(cluster_.broken().empty()) << cluster_.broken().front();
    EXPECT_TRUE(cluster_.ReplayAgrees());
  }

  TestCluster cluster_;
  int nodes_ = 0;
};

TEST(Classes, AreThirdsOfTheScale) {
  EXPECT_EQ(ClassOf(0), 0);
  EXPECT_EQ(ClassOf(250), 0);
  EXPECT_EQ(ClassOf(333), 0);
  EXPECT_EQ(ClassOf(334), 1);
  EXPECT_EQ(ClassOf(500), 1);
  EXPECT_EQ(ClassOf(667), 1);
  EXPECT_EQ(ClassOf(668), 2);
  EXPECT_EQ(ClassOf(1000), 2);
}

// Levels grow with time alone: no event says when one who waits may share it.
TEST_F(Preemption, WhoSharesTimeIsLookedAtAgainByAndBy) {
  AddNode();
  const JobId running = Run(8, 500);
  const auto next_for = [&](JobId job) {
    return PreemptionCandidates(cluster_.state(), cluster_.now()).For(JobOf(job)).next;
  };
  EXPECT_EQ(next_for(Submit(8, 500)), cluster_.now() + Duration::Minutes(1));
  EXPECT_EQ(next_for(Submit(8, 500, false)), Instant{}) << "it does not give way itself";
  cluster_.Advance(Duration::Minutes(30));
  ASSERT_GT(ServiceLevel(JobOf(running), cluster_.now()), 0);
  EXPECT_LE(next_for(Submit(8, 500)), cluster_.now() + Duration::Minutes(1));
}

TEST_F(Preemption, LevelsGrowWithGpuTimeAcrossAttempts) {
  AddNode();
  const JobId job = Run(8, 500);
  EXPECT_EQ(ServiceLevel(JobOf(job), cluster_.now()), 0);
  cluster_.Advance(Duration::Minutes(7) + Duration::Seconds(30) - Duration::Milliseconds(1));
  EXPECT_EQ(ServiceLevel(JobOf(job), cluster_.now()), 0);
  cluster_.Advance(Duration::Milliseconds(1));
  EXPECT_EQ(ServiceLevel(JobOf(job), cluster_.now()), 1);
  cluster_.Advance(Duration::Minutes(75));
  EXPECT_EQ(ServiceLevel(JobOf(job), cluster_.now()), 2);
  cluster_.Advance(Duration::Minutes(60 * 1'000));
  EXPECT_EQ(ServiceLevel(JobOf(job), cluster_.now()), kServiceLevelMax);
}

// Nine of ten nodes are wanted.  Evicting the gang frees two of them, so one of the eight other
// jobs may stay, whichever nodes were chosen first.
TEST_F(Preemption, TheOtherNodeOfAVictimSparesAJob) {
  for (int i = 0; i < 10; ++i) AddNode();
  const JobId gang = Run(8, 250, true, 2);
  for (int i = 0; i < 8; ++i) Run(8, 250);
  cluster_.Advance(Duration::Minutes(10));
  const std::vector<JobId> victims = VictimsFor(Submit(8, 750, true, 9));
  EXPECT_EQ(victims.size(), 8u);
  EXPECT_TRUE(std::ranges::count(victims, gang));
}

TEST_F(Preemption, EachRefusal) {
  AddNode();
  AddNode();
  const JobId low = Run(8, 250);
  const JobId firm = Run(4, 250, false);
  const JobId high = Submit(8, 750);
  EXPECT_NE(Refusal(low, high).find("min_run"), std::string::npos);
  cluster_.Advance(Duration::Minutes(10) - Duration{1});
  EXPECT_NE(Refusal(low, high), "");
  cluster_.Advance(Duration{1});
  EXPECT_EQ(Refusal(low, high), "");
  EXPECT_NE(Refusal(firm, high).find("preemptible"), std::string::npos);
  EXPECT_NE(Refusal(high, low), "");
  EXPECT_NE(Refusal(low, firm).find("nothing is preempted for it"), std::string::npos);
  EXPECT_NE(Refusal(JobId{99}, high).find("no job"), std::string::npos);
  EXPECT_NE(Refusal(low, Submit(8, 300, false)).find("no ground to preempt"), std::string::npos)
      << "of one class";
  EXPECT_EQ(Refusal(low, Submit(8, 100)), "") << "of one class, gives way itself, and has had less";
  ASSERT_TRUE(cluster_.Execute(StopJob{low, false}));
  EXPECT_NE(Refusal(low, high), "");
}

TEST_F(Preemption, TheLowestClassThenTheFewestGpusThenTheFewestJobs) {
  for (int i = 0; i < 3; ++i) AddNode();
  const JobId medium = Run(8, 500);
  const JobId low_large = Run(8, 250);
  const JobId low_small = Run(4, 250);
  Run(4, 250, false);
  cluster_.Advance(Duration::Minutes(10));
  EXPECT_EQ(VictimsFor(Submit(4, 900)), std::vector{low_small});
  EXPECT_EQ(VictimsFor(Submit(8, 900)), std::vector{low_large});
  EXPECT_EQ(VictimsFor(Submit(8, 900, false, 2)), (std::vector{medium, low_large}));
  EXPECT_TRUE(VictimsFor(Submit(8, 900, false, 3)).empty());
}

TEST_F(Preemption, WholeGangsGoAndNobodyWhoCanBeSpared) {
  for (int i = 0; i < 2; ++i) AddNode();
  const JobId gang = Run(4, 250, true, 2);
  const JobId one = Run(2, 250);
  Run(2, 250);
  cluster_.Advance(Duration::Minutes(10));
  const JobId waiting = Submit(3, 750);
  // Beside the gang one node has 4 free GPUs: it fits without anybody's help.
  cluster_.Pass();
  EXPECT_EQ(JobOf(waiting).state, JobState::kStarting);
  EXPECT_EQ(VictimsFor(Submit(8, 750)).size(), 3u)
      << "the node with the small ones has two, and the gang";
  (void)gang;
  (void)one;
}

// Node by node the small job is the cheapest on its own; the gang must go anyway, and makes room
// for both.
TEST_F(Preemption, WhoIsNeededElsewhereSparesOthers) {
  AddNode();
  AddNode();
  const JobId gang = Run(4, 250, true, 2);
  const JobId small = Run(4, 250);
  const JobId firm = Run(4, 250, false);
  ASSERT_NE(cluster_.state().FindLease(JobOf(small).leases[0])->node,
            cluster_.state().FindLease(JobOf(firm).leases[0])->node);
  cluster_.Advance(Duration::Minutes(10));
  EXPECT_EQ(VictimsFor(Submit(4, 900, false, 2)), std::vector{gang});
}

TEST_F(Preemption, EqualsThatHadAsMuchWait) {
  AddNode();
  const JobId small = Run(1, 500);
  cluster_.Advance(Duration::Minutes(10));
  EXPECT_NE(Refusal(small, Submit(8, 500)).find("no ground to preempt"), std::string::npos);
  cluster_.Advance(Duration::Minutes(50));
  EXPECT_EQ(Refusal(small, JobId{cluster_.state().jobs.last}), "");
}

TEST_F(Preemption, WhoIsOfALowerClassIsSparedWhereItDoesNotHelp) {
  AddNode();
  Run(1, 250);
  const JobId large = Run(7, 500);
  cluster_.Advance(Duration::Minutes(10));
  EXPECT_EQ(VictimsFor(Submit(7, 900)), std::vector{large});
}

TEST_F(Preemption, TheNodeIsKeptForWhomItIsCleared) {
  AddNode();
  const JobId low = Run(6, 250);
  cluster_.Advance(Duration::Minutes(10));
  const JobId high = Submit(8, 750, false);
  cluster_.Pass();
  EXPECT_EQ(JobOf(low).preempted_for, high);
  const JobId small = Submit(1, 500, false);
  cluster_.Pass();
  EXPECT_EQ(JobOf(small).state, JobState::kQueued) << "two GPUs are free, but not for it";
  const std::set<NodeId> told =
      NodesToUpdate(cluster_.state(), {JobPreemptionOrdered{1, low, high, {}}});
  EXPECT_EQ(told, std::set<NodeId>{NodeId{0}});
}

// It stands before the other in the queue, and would else take its own place back for ever.
TEST_F(Preemption, WhoLeftDoesNotTakeThePlaceBack) {
  StartController patient{TestPolicy()};
  patient.policy.reserve_after = Duration::Minutes(5);
  ASSERT_TRUE(cluster_.Execute(patient));
  AddNode();
  const JobId before = Run(8, 600);
  cluster_.Advance(Duration::Minutes(10));
  const JobId behind = Submit(8, 400);
  const JobId firm = Submit(8, 500, false);
  cluster_.Pass();
  EXPECT_EQ(JobOf(before).preempted_for, behind);
  End(before, LeaseEnd::kStopped);
  cluster_.Pass();
  EXPECT_EQ(JobOf(behind).state, JobState::kStarting);
  EXPECT_EQ(JobOf(firm).state, JobState::kQueued);
  EXPECT_TRUE(JobOf(behind).nominated_nodes.empty());
  EXPECT_TRUE(cluster_.state().jobs.nominated.empty());
}

TEST_F(Preemption, AGangKeepsEarlyNodesUntilTheLastIsCleared) {
  AddNode();
  AddNode();
  const JobId first = Run(8, 250);
  const JobId second = Run(8, 250);
  cluster_.Advance(Duration::Minutes(10));
  const JobId gang = Submit(8, 750, false, 2);
  cluster_.Pass();
  EXPECT_EQ(JobOf(first).preempted_for, gang);
  EXPECT_EQ(JobOf(second).preempted_for, gang);
  End(first, LeaseEnd::kStopped);
  cluster_.Pass();
  EXPECT_EQ(JobOf(first).state, JobState::kQueued) << "node 0 is free, and kept";
  LeaseObservation ended{JobOf(second).leases.front(),  true, true, cluster_.now(), cluster_.now(),
                         {LeaseEnd::kStopped, 0, 0, ""}};
  ASSERT_TRUE(cluster_.Execute(ReportNode{NodeId{1}, 1, {ended}, {}}));
  cluster_.Pass();
  EXPECT_EQ(JobOf(gang).state, JobState::kStarting);
}

TEST_F(Preemption, ANodeClearedForAnotherIsClaimedNoLonger) {
  AddNode();
  const JobId low = Run(8, 250);
  cluster_.Advance(Duration::Minutes(10));
  const JobId first = Submit(8, 700, false);
  cluster_.Pass();
  EXPECT_EQ(JobOf(low).preempted_for, first);
  // A GPU goes out before the place is free: the claim comes to nothing, and `small` runs
  // meanwhile.
  ASSERT_TRUE(cluster_.Execute(ChangeService{NodeId{0}, 7, ServiceAction::kDrain, false, "test"}));
  End(low, LeaseEnd::kStopped);
  ASSERT_TRUE(cluster_.Execute(HoldJob{low}));
  const JobId small = Run(7, 250);
  EXPECT_EQ(JobOf(first).nominated_nodes, std::vector{NodeId{0}});
  cluster_.Advance(Duration::Minutes(10));
  ASSERT_TRUE(cluster_.Execute(ChangeService{NodeId{0}, 7, ServiceAction::kOnline, false, ""}));
  ASSERT_TRUE(cluster_.Execute(TasksDone(cluster_.state(), NodeId{0})));
  const JobId higher = Submit(8, 900, false);
  cluster_.Pass();
  EXPECT_EQ(JobOf(small).preempted_for, higher);
  EXPECT_TRUE(JobOf(first).nominated_nodes.empty());
  End(small, LeaseEnd::kStopped);
  cluster_.Pass();
  EXPECT_EQ(JobOf(higher).state, JobState::kStarting);
  EXPECT_EQ(JobOf(first).state, JobState::kQueued);
}

TEST_F(Preemption, ALostNodeIsKeptForNobody) {
  AddNode();
  const JobId low = Run(8, 250);
  cluster_.Advance(Duration::Minutes(10));
  const JobId high = Submit(8, 750, false);
  cluster_.Pass();
  ASSERT_TRUE(cluster_.Execute(ExpireHeartbeat{NodeId{0}}));
  AddNode();
  const JobId other = Run(8, 250, true, 1, JobState::kQueued);
  EXPECT_EQ(JobOf(high).state, JobState::kStarting) << "it takes the new node at once";
  EXPECT_EQ(JobOf(low).state, JobState::kCheckpointing);
  EXPECT_EQ(JobOf(other).state, JobState::kQueued);
}

TEST_F(Preemption, WhoMayInterruptIsNotHeldUpByWhoMayNot) {
  StartController patient{TestPolicy()};
  patient.policy.reserve_after = Duration::Minutes(5);
  ASSERT_TRUE(cluster_.Execute(patient));
  AddNode();
  const JobId long_one = Run(8, 500);
  cluster_.Advance(Duration::Minutes(20));
  Submit(8, 500, false);
  const JobId sharing = Submit(8, 500);
  cluster_.Pass();
  EXPECT_EQ(JobOf(long_one).preempted_for, sharing);
}

TEST_F(Preemption, AJobThatGivesWayIsPlacedAgainAndRemembersItsTime) {
  AddNode();
  const JobId low = Run(8, 250);
  cluster_.Advance(Duration::Minutes(30));
  const JobId high = Submit(8, 750, false);
  cluster_.Pass();
  EXPECT_EQ(JobOf(low).state, JobState::kCheckpointing);
  EXPECT_EQ(JobOf(low).preempted_for, high);
  const LeaseId lease = JobOf(low).leases.front();
  EXPECT_EQ(cluster_.state().FindLease(lease)->stop, StopOrder::kGraceful);
  End(low, LeaseEnd::kStopped);
  EXPECT_EQ(JobOf(low).state, JobState::kQueued);
  EXPECT_EQ(JobOf(low).preemptions, 1);
  EXPECT_EQ(JobOf(low).attained_gpu_ms, 8 * 30 * 60'000);
  EXPECT_TRUE(cluster_.state().jobs.preemptions.empty());
  EXPECT_EQ(ServiceLevel(JobOf(low), cluster_.now()), 1);
  cluster_.Pass();
  EXPECT_EQ(JobOf(high).state, JobState::kStarting);
  EXPECT_EQ(JobOf(low).state, JobState::kQueued);
  End(high, LeaseEnd::kExited);
  cluster_.Pass();
  cluster_.Advance(Duration::Minutes(10));
  End(low, LeaseEnd::kExited);
  EXPECT_EQ(JobOf(low).state, JobState::kCompleted);
  EXPECT_EQ(JobOf(low).attained_gpu_ms, 8 * (30 + 10) * 60'000) << "of both attempts";
}

// Against every subset of the running jobs: no smaller set of victims makes room.
TEST_F(Preemption, NoVictimCanBeSpared) {
  for (int i = 0; i < 2; ++i) AddNode();
  std::vector<JobId> running;
  for (const int gpus : {3, 2, 1, 4, 2, 1}) running.push_back(Run(gpus, 250));
  cluster_.Advance(Duration::Minutes(10));
  for (int gpus = 1; gpus <= 8; ++gpus) {
    const JobId job = Submit(gpus, 900, false);
    const std::vector<JobId> victims = VictimsFor(job);
    const auto fits_without = [&](const std::vector<JobId>& gone) {
      for (const Node& node : cluster_.state().nodes.all) {
        int free = 8;
        for (const LeaseId id : node.leases) {
          const Lease& lease = *cluster_.state().FindLease(id);
          if (std::ranges::find(gone, lease.job) == gone.end())
            free -= static_cast<int>(lease.gpus.size());
        }
        if (free >= gpus) return true;
      }
      return false;
    };
    if (fits_without({})) continue;
    ASSERT_FALSE(victims.empty()) << gpus;
    EXPECT_TRUE(fits_without(victims)) << gpus;
    for (const JobId spared : victims) {
      std::vector<JobId> others = victims;
      std::erase(others, spared);
      EXPECT_FALSE(fits_without(others)) << gpus;
    }
    ASSERT_TRUE(cluster_.Execute(StopJob{job, true}));
  }
}

}  // namespace
}  // namespace gp
