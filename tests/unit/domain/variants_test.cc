#include "domain/model/jobs/variants.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "domain/explaining/explain.h"
#include "domain/scheduling/planner.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

class Variants : public testing::Test {
 protected:
  void AddNodes(int count, const std::string& model) {
    for (int i = 0; i < count; ++i) {
      cluster_.AddNode(TestCluster::MakeFacts(model + std::to_string(i), {0, 0, 0, 0, 1, 1, 1, 1},
                                              18, 81'559, 48, model));
    }
  }
  static JobSpec Spec(int gpus, const std::string& model) {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.count = gpus;
    spec.resources.gpus.models = {model};
    return spec;
  }
  static Alternative Other(int gpus, const std::string& model, int nodes = 1) {
    const JobSpec spec = Spec(gpus, model);
    return {nodes, 0, spec.resources.gpus, 0, 0};
  }
  JobId Submit(const JobSpec& spec) {
    EXPECT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}}));
    return {cluster_.state().jobs.last};
  }
  const Job& JobOf(JobId id) const { return *cluster_.state().FindJob(id); }
  void TearDown() override {
    EXPECT_TRUE(cluster_.broken().empty()) << cluster_.broken().front();
    EXPECT_TRUE(cluster_.ReplayAgrees());
  }

  TestCluster cluster_;
};

TEST_F(Variants, WhatIsGivenIsWhatCounts) {
  AddNodes(1, "A100");
  ASSERT_TRUE(cluster_.Execute(SetQueue{.name = "default", .user_limit = {.gpus = 12}}));
  JobSpec spec = Spec(8, "H100");
  spec.resources.any_of = {Other(16, "A100"), Other(4, "A100")};
  const JobId job = Submit(spec);
  const JobId behind = Submit(Spec(4, "A100"));
  cluster_.Pass();
  EXPECT_EQ(JobOf(job).spec->resources.gpus.count, 4);
  EXPECT_EQ(JobOf(job).variant, 2);
  ASSERT_TRUE(JobOf(job).submitted_spec);
  EXPECT_EQ(**JobOf(job).submitted_spec, spec);
  EXPECT_EQ(cluster_.state().queues.accounts.at({"default", "ana"}).held.share, 8'000)
      << "both hold four";
  EXPECT_TRUE(HoldsLeases(JobOf(behind).state));
}

TEST_F(Variants, APriorityStaysThroughTheNextWait) {
  AddNodes(1, "A100");
  JobSpec spec = Spec(8, "H100");
  spec.resources.any_of = {Other(8, "A100")};
  const JobId job = Submit(spec);
  cluster_.Pass();
  ASSERT_TRUE(cluster_.Execute(SetPriority{job, 700}));
  ASSERT_TRUE(
      cluster_.Execute(ChangeService{NodeId{0}, -1, ServiceAction::kOffline, true, "test"}));
  const LeaseId lease = JobOf(job).leases.front();
  ASSERT_TRUE(cluster_.Execute(
      ReportNode{NodeId{0},
                 1,
                 {{lease, false, true, {}, cluster_.now(), {LeaseEnd::kStopped, 0, 0, ""}}},
                 {}}));
  ASSERT_EQ(JobOf(job).state, JobState::kQueued);
  EXPECT_FALSE(JobOf(job).submitted_spec);
  EXPECT_EQ(JobOf(job).spec->resources.any_of.size(), 1U);
  EXPECT_EQ(JobOf(job).spec->policy.priority, 700);
}

TEST_F(Variants, WhatWouldStartItKnowsItsOtherWays) {
  AddNodes(2, "A100");
  JobSpec spec = Spec(8, "H100");
  spec.resources.any_of = {Other(8, "A100", 2)};
  Job job;
  job.spec = std::make_shared<const JobSpec>(spec);
  job.user = {"ana", 1, 1};
  const Explanation told = Explain(cluster_.state(), cluster_.now(), job);
  ASSERT_TRUE(told.place);
  EXPECT_EQ(told.place->variant, 1);
  EXPECT_EQ(told.place->ranks.size(), 2U);
}

TEST_F(Variants, OneThatKeepsNodesForALeastNumberKeepsNoMore) {
  AddNodes(4, "H100");
  const JobId small[] = {Submit(Spec(1, "H100")), Submit(Spec(1, "H100"))};
  cluster_.Pass();
  JobSpec wide = Spec(8, "H100");
  wide.resources.nodes = 4;
  wide.resources.nodes_min = 4;
  Submit(Spec(8, "H100"));
  Submit(Spec(8, "H100"));
  Submit(Spec(8, "H100"));
  cluster_.Pass();
  wide.resources.nodes_min = 2;
  const JobId waits = Submit(wide);
  cluster_.Advance(Duration::Minutes(6));
  const Plan plan = Schedule(cluster_.state(), cluster_.now());
  EXPECT_EQ(plan.backfill.size(), 2U);
  for (const auto& [node, backfill] : plan.backfill) EXPECT_EQ(backfill.job, waits);
  EXPECT_TRUE(HoldsLeases(JobOf(small[1]).state));
}

// It evicts no more jobs than it needs, and waits for all its victims.
TEST_F(Variants, InterruptsForTheFewestNodesAndWaitsForThem) {
  AddNodes(4, "H100");
  Policy policy;
  policy.min_run = Duration{};
  ASSERT_TRUE(cluster_.Execute(StartController{policy}));
  JobSpec low = Spec(8, "H100");
  low.policy.priority = 100;
  low.policy.preemptible = true;
  std::vector<JobId> lows;
  for (int i = 0; i < 4; ++i) lows.push_back(Submit(low));
  cluster_.Pass();
  for (uint32_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(cluster_.Execute(ReportNode{
        NodeId{i}, 1, {{JobOf(lows[i]).leases.front(), true, false, cluster_.now(), {}, {}}}, {}}));
  }
  JobSpec high = Spec(8, "H100");
  high.policy.priority = 900;
  high.resources.nodes = 4;
  high.resources.nodes_min = 2;
  const JobId job = Submit(high);
  cluster_.Pass();
  std::vector<JobId> told;
  for (const JobId low_job : lows) {
    if (JobOf(low_job).state == JobState::kCheckpointing) told.push_back(low_job);
  }
  ASSERT_EQ(told.size(), 2U);
  for (const JobId one : told) {
    EXPECT_EQ(JobOf(job).state, JobState::kQueued);
    const Lease lease = *cluster_.state().FindLease(JobOf(one).leases.front());
    ASSERT_TRUE(cluster_.Execute(
        ReportNode{lease.node,
                   1,
                   {{lease.id, false, true, {}, cluster_.now(), {LeaseEnd::kStopped, 0, 0, ""}}},
                   {}}));
    cluster_.Pass();
  }
  EXPECT_TRUE(HoldsLeases(JobOf(job).state));
  EXPECT_EQ(JobOf(job).leases.size(), 2U);
}

TEST_F(Variants, OthersWhoLeaveForItDoNotLeaveInVain) {
  AddNodes(2, "H100");
  AddNodes(1, "A100");
  Policy policy;
  policy.min_run = Duration{};
  ASSERT_TRUE(cluster_.Execute(StartController{policy}));
  JobSpec low = Spec(8, "H100");
  low.policy.priority = 100;
  low.policy.preemptible = true;
  const JobId lows[] = {Submit(low), Submit(low)};
  const JobId firm = Submit(Spec(8, "A100"));
  cluster_.Pass();
  const auto report = [this](JobId job, bool ended) {
    const Lease lease = *cluster_.state().FindLease(JobOf(job).leases.front());
    const LeaseOutcome outcome{
        JobOf(job).stop == StopCause::kNone ? LeaseEnd::kExited : LeaseEnd::kStopped, 0, 0, ""};
    ASSERT_TRUE(cluster_.Execute(ReportNode{
        lease.node, 1, {{lease.id, !ended, ended, cluster_.now(), cluster_.now(), outcome}}, {}}));
  };
  for (const JobId job : {lows[0], lows[1], firm}) report(job, false);
  JobSpec high = Spec(8, "H100");
  high.policy.priority = 900;
  high.resources.nodes = 2;
  high.resources.any_of = {Other(8, "A100")};
  const JobId job = Submit(high);
  cluster_.Pass();
  ASSERT_EQ(JobOf(lows[1]).state, JobState::kCheckpointing);
  report(firm, true);
  cluster_.Pass();
  EXPECT_EQ(JobOf(job).state, JobState::kQueued)
      << "another way is open, but two are leaving for it";
  report(lows[0], true);
  report(lows[1], true);
  cluster_.Pass();
  EXPECT_EQ(JobOf(job).leases.size(), 2U);
}

// What its queue was guaranteed covers its least size: that is what it takes back.
TEST_F(Variants, TakesBackWhatItsLeastSizeIsGuaranteed) {
  AddNodes(2, "H100");
  Policy policy;
  policy.min_run = Duration{};
  ASSERT_TRUE(cluster_.Execute(StartController{policy}));
  ASSERT_TRUE(cluster_.Execute(SetQueue{.name = "a", .guaranteed = 8}));
  ASSERT_TRUE(cluster_.Execute(SetQueue{.name = "b"}));
  ASSERT_TRUE(cluster_.Execute(SetQueue{.name = "a", .limit = {.gpus = 8}}));
  JobSpec lent = Spec(8, "H100");
  lent.policy.queue = "b";
  lent.policy.preemptible = true;
  const JobId borrowers[] = {Submit(lent), Submit(lent)};
  cluster_.Pass();
  for (uint32_t i = 0; i < 2; ++i) {
    ASSERT_TRUE(cluster_.Execute(
        ReportNode{NodeId{i},
                   1,
                   {{JobOf(borrowers[i]).leases.front(), true, false, cluster_.now(), {}, {}}},
                   {}}));
  }
  JobSpec own = Spec(8, "H100");
  own.policy.queue = "a";
  own.resources.nodes = 2;
  own.resources.nodes_min = 1;
  const JobId job = Submit(own);
  cluster_.Advance(Duration::Minutes(6));
  cluster_.Pass();
  const auto leaving =
      std::ranges::count_if(borrowers, [&](JobId one) { return JobOf(one).preempted_for == job; });
  EXPECT_EQ(leaving, 1);
  // A limit below its full size does not keep it from what was cleared for it.
  const Plan plan = Schedule(cluster_.state(), cluster_.now());
  ASSERT_EQ(plan.backfill.size(), 1U);
  EXPECT_EQ(plan.backfill.begin()->second.job, job);
}

TEST_F(Variants, ALimitBelowItsFullSizeDoesNotKeepItFromKeepingNodes) {
  AddNodes(4, "H100");
  ASSERT_TRUE(cluster_.Execute(SetQueue{.name = "small", .limit = {.gpus = 16}}));
  for (int i = 0; i < 4; ++i) Submit(Spec(8, "H100"));
  cluster_.Pass();
  JobSpec wide = Spec(8, "H100");
  wide.resources.nodes = 4;
  wide.resources.nodes_min = 2;
  wide.policy.queue = "small";
  const JobId waits = Submit(wide);
  cluster_.Advance(Duration::Minutes(6));
  const Plan plan = Schedule(cluster_.state(), cluster_.now());
  ASSERT_EQ(plan.backfill.size(), 2U);
  EXPECT_EQ(plan.backfill.begin()->second.job, waits);
}

TEST_F(Variants, TheReasonIsThatOfTheNearestWay) {
  AddNodes(1, "A100");
  Submit(Spec(8, "A100"));
  cluster_.Pass();
  JobSpec spec = Spec(8, "H100");
  spec.resources.any_of = {Other(8, "A100")};
  const JobId other = Submit(spec);
  EXPECT_EQ(WhyPending(cluster_.state(), cluster_.now(), JobOf(other)).kind,
            PendingKind::kCapacity);
  JobSpec wide = Spec(8, "A100");
  wide.resources.nodes = 4;
  wide.resources.nodes_min = 1;
  EXPECT_EQ(WhyPending(cluster_.state(), cluster_.now(), JobOf(Submit(wide))).kind,
            PendingKind::kCapacity);
  EXPECT_EQ(WhyPending(cluster_.state(), cluster_.now(), JobOf(Submit(Spec(8, "H100")))).kind,
            PendingKind::kNoSuchHardware);
}

TEST_F(Variants, APlacementThatIsNoneOfThemIsRefused) {
  AddNodes(3, "H100");
  JobSpec spec = Spec(8, "H100");
  spec.resources.nodes = 3;
  spec.resources.nodes_min = 2;
  const JobId job = Submit(spec);
  PlaceGang place = Schedule(cluster_.state(), cluster_.now()).Placements().front();
  ASSERT_EQ(place.ranks.size(), 3U);
  const auto refusal = [this](const PlaceGang& one) {
    const auto events = cluster_.Execute(one);
    return events ? "" : events.error().message;
  };
  place.variant = 1;
  EXPECT_EQ(refusal(place), ToText(job) + " has no variant 1");
  place.variant = -1;
  EXPECT_EQ(refusal(place), ToText(job) + " has no variant -1");
  place.variant = 0;
  place.ranks.resize(1);
  EXPECT_EQ(refusal(place), ToText(job) + ": a gang of 3 nodes was placed on 1");
}

}  // namespace
}  // namespace gp
