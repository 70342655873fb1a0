#include "domain/defragmenting/find_moves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "base/rng.h"
#include "domain/cluster/decide/decide.h"
#include "domain/cluster/moves.h"
#include "domain/defragmenting/fragmentation.h"
#include "domain/explaining/explain.h"
#include "domain/scheduling/planner.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

class Moves : public testing::Test {
 protected:
  Moves() {
    Policy policy;
    policy.min_run = Duration{};
    EXPECT_TRUE(cluster_.Execute(StartController{policy}));
  }
  void AddNode(const std::string& model = "NVIDIA H100") {
    cluster_.AddNode(TestCluster::MakeFacts("n" + std::to_string(++nodes_),
                                            {0, 0, 0, 0, 1, 1, 1, 1}, 18, 81'559, 48, model));
  }
  JobId Submit(JobSpec spec) {
    spec.program.command = {"run"};
    EXPECT_TRUE(cluster_.Execute(SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1, 1}}));
    return {cluster_.state().jobs.last};
  }
  static JobSpec Spec(int gpus, bool movable = true, int nodes = 1) {
    JobSpec spec;
    spec.resources.gpus.count = gpus;
    spec.policy.movable = movable;
    spec.resources.nodes = nodes;
    return spec;
  }
  JobId Run(const JobSpec& spec) {
    const JobId job = Submit(spec);
    cluster_.Pass();
    ReportAll();
    EXPECT_EQ(JobOf(job).state, JobState::kRunning) << "of " << spec.resources.gpus.count;
    return job;
  }
  // Running jobs run; jobs that are ordered to stop have saved their work.
  void ReportAll() {
    for (const Node& node : cluster_.state().nodes.all) {
      ReportNode report{node.id, node.incarnation, {}, {}};
      for (const LeaseId id : node.leases) {
        const bool stops = cluster_.state().FindLease(id)->stop != StopOrder::kNone;
        report.leases.push_back(
            {id, !stops, stops, cluster_.now(), cluster_.now(), {LeaseEnd::kStopped, 0, 0, ""}});
      }
      EXPECT_TRUE(cluster_.Execute(report));
    }
  }
  void End(JobId job) {
    const Lease& lease = *cluster_.state().FindLease(JobOf(job).leases.front());
    const Node& node = *cluster_.state().FindNode(lease.node);
    ReportNode report{node.id, node.incarnation, {}, {}};
    for (const LeaseId id : node.leases)
      report.leases.push_back(
          {id, id != lease.id, id == lease.id, cluster_.now(), cluster_.now(), {}});
    ASSERT_TRUE(cluster_.Execute(report));
  }
  // Two nodes with four free GPUs each, and who may be moved from the first.
  JobId LeaveHalvesFree() {
    AddNode();
    AddNode();
    const JobId movable = Run(Spec(4));
    const JobId filler = Run(Spec(4, false));
    Run(Spec(4, false));
    End(filler);
    return movable;
  }
  std::optional<MovePlan> Find(JobId job) {
    Planner planner;
    const Plan pass = planner.Schedule(cluster_.state(), cluster_.now());
    return MoveFinder(cluster_.state(), cluster_.now(), planner.classes(), pass).Find(JobOf(job));
  }
  std::string Refusal(const MoveJobs& command) const {
    const auto decided = Decide(cluster_.state(), {cluster_.now(), "test", "", command});
    return decided ? "" : decided.error().message;
  }
  const Job& JobOf(JobId id) const { return *cluster_.state().FindJob(id); }
  std::vector<RankTarget> PlaceOf(JobId job) const {
    std::vector<RankTarget> place;
    for (const LeaseId id : JobOf(job).leases) {
      const Lease& lease = *cluster_.state().FindLease(id);
      place.push_back({lease.node, 0});
      for (const GpuGrant& grant : lease.gpus) place.back().gpus |= uint64_t{1} << grant.gpu;
    }
    return place;
  }
  // The moves are ordered, all who leave have left: who waited has its place, and each is where it
  // was to go.
  void CarryOut(const MovePlan& plan) {
    ASSERT_TRUE(cluster_.Execute(plan.moves));
    cluster_.Pass();
    ReportAll();
    cluster_.Pass();
    EXPECT_TRUE(HoldsLeases(JobOf(plan.moves.by).state))
        << ToText(plan.moves.by) << " got no place";
    for (const MoveJobs::Move& move : plan.moves.moves) {
      EXPECT_EQ(PlaceOf(move.job), move.destination) << ToText(move.job);
      EXPECT_EQ(JobOf(move.job).moves, 1);
      EXPECT_EQ(JobOf(move.job).preemptions, 0);
    }
  }
  void TearDown() override {
    EXPECT_TRUE(cluster_.broken().empty()) << cluster_.broken().front();
    EXPECT_TRUE(cluster_.ReplayAgrees());
  }

  TestCluster cluster_;
  int nodes_ = 0;
};

// Two jobs of 4 on two nodes, each half free.
TEST_F(Moves, BringFreeGpusTogether) {
  const JobId a = LeaveHalvesFree();
  const JobId wide = Submit(Spec(8));
  cluster_.Advance(Duration::Minutes(30));
  const auto plan = Find(wide);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->moves, (MoveJobs{wide, {NodeId{0}}, {{a, {{NodeId{1}, 0xf0}}}}}));
  EXPECT_FALSE(plan->is_wait_known);
  EXPECT_EQ(plan->wait_saved, Duration::Minutes(30) - Duration::Seconds(30));
  EXPECT_EQ(plan->gain, 8'000 * (30 * 60 - 30) * 1'000LL);
  EXPECT_EQ(plan->cost, 4'000 * (30 + 120) * 1'000LL);
  EXPECT_EQ(PlanMoves(cluster_.state(), cluster_.now()), std::vector<MovePlan>{*plan});
  CarryOut(*plan);
  ReportAll();
  ASSERT_EQ(JobOf(a).state, JobState::kRunning);
  const JobId next = Submit(Spec(8));
  EXPECT_EQ(
      Refusal({next, {NodeId{0}}, {{a, {{NodeId{1}, 0xf}}}}}),
      ToText(a) + " (RUNNING) may not be moved: it was moved less than move_interval (1h) ago");
  cluster_.Advance(Duration::Minutes(60));
  EXPECT_EQ(Refusal({next, {NodeId{0}}, {{a, {{NodeId{1}, 0xf}}}}}), "");
}

TEST_F(Moves, AreCountedByTheHour) {
  Policy policy;
  policy.min_run = policy.move_interval = Duration{};
  policy.moves_per_hour = 1;
  ASSERT_TRUE(cluster_.Execute(StartController{policy}));
  AddNode();
  AddNode();
  const JobId a = Run(Spec(1));
  const JobId b = Run(Spec(1));
  const JobId first = Submit(Spec(8, false));
  const JobId second = Submit(Spec(8, false));
  ASSERT_TRUE(cluster_.Execute(MoveJobs{first, {NodeId{0}}, {{a, {{NodeId{1}, 1}}}}}));
  EXPECT_EQ(Refusal({second, {NodeId{1}}, {{b, {{NodeId{1}, 2}}}}}),
            "moves: 1 asked, 0 left in this hour (moves_per_hour)");
  EXPECT_EQ(Refusal({second, {NodeId{0}}, {{b, {{NodeId{1}, 2}}}}}),
            "a node is being cleared for " + ToText(first) + " already");
  EXPECT_EQ(Refusal({first, {NodeId{1}}, {{b, {{NodeId{1}, 2}}}}}),
            ToText(first) + ": jobs are already being moved for it");
  EXPECT_FALSE(Find(second));
  cluster_.Advance(Duration::Minutes(60) + Duration::Milliseconds(1));
  EXPECT_EQ(Refusal({second, {NodeId{1}}, {{b, {{NodeId{1}, 2}}}}}), "");
}

// It waits to be let in at its destination, and others are moved for it meanwhile: one place is
// enough.
TEST_F(Moves, APlaceAndADestinationAreOnePlace) {
  for (int i = 0; i < 4; ++i) AddNode();
  const JobId first = Run(Spec(8));
  const JobId second = Run(Spec(8));
  const JobId brief = Run(Spec(8, false));
  const JobId third = Run(Spec(8));
  End(brief);
  const JobId waits = Submit(Spec(8, false));
  // The first goes where the second is, and the second to the free node.
  ASSERT_TRUE(cluster_.Execute(
      MoveJobs{waits, {NodeId{0}}, {{first, {{NodeId{1}, 0xff}}}, {second, {{NodeId{2}, 0xff}}}}}));
  const auto leave = [this](JobId job) {
    const Lease lease = *cluster_.state().FindLease(JobOf(job).leases.front());
    ASSERT_TRUE(cluster_.Execute(ReportNode{
        lease.node,
        1,
        {{lease.id, false, true, cluster_.now(), cluster_.now(), {LeaseEnd::kStopped, 0, 0, ""}}},
        {}}));
  };
  leave(first);
  cluster_.Pass();
  EXPECT_EQ(JobOf(first).state, JobState::kQueued) << "the second is still there";
  ASSERT_TRUE(cluster_.Execute(MoveJobs{first, {NodeId{3}}, {{third, {{NodeId{0}, 0xff}}}}}));
  leave(second);
  leave(third);
  cluster_.Pass();
  EXPECT_EQ(PlaceOf(first), (std::vector<RankTarget>{{NodeId{1}, 0xff}}));
  EXPECT_EQ(PlaceOf(second), (std::vector<RankTarget>{{NodeId{2}, 0xff}}));
}

TEST_F(Moves, TimeLimitsTellWhatIsGained) {
  AddNode();
  AddNode();
  JobSpec limited = Spec(4);
  limited.policy.time_limit = Duration::Minutes(60);
  Run(limited);
  const JobId filler = Run(Spec(4, false));
  limited.policy.movable = false;
  Run(limited);
  End(filler);
  const JobId wide = Submit(Spec(8));
  cluster_.Advance(Duration::Minutes(10));
  const auto plan = Find(wide);
  ASSERT_TRUE(plan);
  EXPECT_TRUE(plan->is_wait_known);
  EXPECT_EQ(plan->wait_saved, Duration::Minutes(50) + kEndMargin)
      << "its end, less the grace of who is moved";
}

TEST_F(Moves, StayOnTheirNodeWhereThatIsEnough) {
  AddNode();
  const JobId fillers[] = {Run(Spec(1, false)), Run(Spec(1, false)), Run(Spec(1, false))};
  const JobId stray = Run(Spec(1));
  const JobId other = Run(Spec(3, false));
  for (const JobId filler : fillers) End(filler);
  JobSpec tight = Spec(4);
  tight.placement.topology.require = TopologyLevel::kSameNuma;
  const JobId waits = Submit(tight);
  ASSERT_EQ(PlaceOf(stray)[0].gpus & 0xf, PlaceOf(stray)[0].gpus);
  ASSERT_EQ(std::popcount(PlaceOf(other)[0].gpus & 0xf0), 3);
  const auto plan = Find(waits);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->moves.moves.size(), 1U);
  EXPECT_EQ(plan->moves.moves[0].job, stray);
  CarryOut(*plan);
}

TEST_F(Moves, GangsLeaveAndComeAsAWhole) {
  for (int i = 0; i < 4; ++i) AddNode();
  const JobId gang = Run(Spec(4, true, 2));  // n1, n2
  const JobId filler = Run(Spec(4, false, 2));
  Run(Spec(4, false, 2));  // n3, n4
  End(filler);
  ReportAll();  // the rest of the gang
  const JobId other_rank = filler;
  EXPECT_FALSE(IsTerminal(JobOf(other_rank).state)) << "it has one rank yet";
  for (const LeaseId id : std::vector<LeaseId>(JobOf(filler).leases)) {
    const Lease& lease = *cluster_.state().FindLease(id);
    const Node& node = *cluster_.state().FindNode(lease.node);
    ReportNode report{node.id, node.incarnation, {}, {}};
    for (const LeaseId one : node.leases)
      report.leases.push_back({one, one != id, one == id, cluster_.now(), cluster_.now(), {}});
    ASSERT_TRUE(cluster_.Execute(report));
  }
  const JobId wide = Submit(Spec(8, true, 2));
  cluster_.Advance(Duration::Minutes(30));
  const auto plan = Find(wide);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->moves.moves.size(), 1U);
  EXPECT_EQ(plan->moves.moves[0].job, gang);
  CarryOut(*plan);
}

// The nearest set cannot be moved: somebody of it fits nowhere else.
TEST_F(Moves, PassOverWhoHasNowhereToGo) {
  AddNode();
  AddNode();
  AddNode("NVIDIA A100");
  JobSpec choosy = Spec(4);
  choosy.placement.node_labels = {{"zone", "a"}};
  ASSERT_TRUE(cluster_.Execute(ChangeNode{NodeId{0}, {}, {{"zone", "a"}}, {}}));
  Run(choosy);  // n1, and nowhere else
  const JobId filler1 = Run(Spec(4, false));
  const JobId free = Run(Spec(4));
  const JobId filler2 = Run(Spec(4, false));
  const JobId a100 = Run(Spec(4, false));
  End(filler1);
  End(filler2);
  JobSpec h100 = Spec(8);
  h100.resources.gpus.models = {"H100"};
  const JobId wide = Submit(h100);
  const auto plan = Find(wide);
  ASSERT_TRUE(plan);
  ASSERT_EQ(plan->moves.moves.size(), 1U);
  EXPECT_EQ(plan->moves.moves[0].job, free);
  EXPECT_EQ(PlaceOf(a100)[0].node, NodeId{2});
  CarryOut(*plan);
}

// One move is under way: what it holds is not promised to the next.
TEST_F(Moves, TheNextOnesSeeWhereOthersAreGoing) {
  for (int i = 0; i < 3; ++i) AddNode();
  const JobId fillers[] = {Run(Spec(4)),        Run(Spec(4, false)), Run(Spec(4)),
                           Run(Spec(4, false)), Run(Spec(4, false)), Run(Spec(4, false))};
  End(fillers[1]);
  End(fillers[3]);
  End(fillers[5]);
  JobSpec wide = Spec(8, false);
  const JobId first = Submit(wide);
  const JobId second = Submit(wide);
  cluster_.Advance(Duration::Minutes(30));
  const auto plan = Find(first);
  ASSERT_TRUE(plan);
  ASSERT_TRUE(cluster_.Execute(plan->moves));
  EXPECT_FALSE(Find(second)) << "the last four free GPUs that lie together are somebody's";
  EXPECT_TRUE(PlanMoves(cluster_.state(), cluster_.now()).empty());
}

// What is asked for is planned by itself, not on top of what is not.
TEST_F(Moves, ArePlannedForWhomTheyAreAskedFor) {
  for (int i = 0; i < 3; ++i) AddNode();
  const JobId fillers[] = {Run(Spec(4)),        Run(Spec(4, false)), Run(Spec(4)),
                           Run(Spec(4, false)), Run(Spec(4, false)), Run(Spec(4, false))};
  for (const int i : {1, 3, 5}) End(fillers[i]);
  const JobId first = Submit(Spec(8, false));
  const JobId second = Submit(Spec(8, false));
  cluster_.Advance(Duration::Minutes(30));
  const auto all = PlanMoves(cluster_.state(), cluster_.now());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].moves.by, first);
  const auto asked = PlanMoves(cluster_.state(), cluster_.now(), {second});
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].moves.by, second);
  CarryOut(asked[0]);
}

// Whoever's limits would not let it start again stays where it is.
// Its limits stop the job for which others leave a node, and the next pass does not keep the
// node for it: it is still that one's.
TEST_F(Moves, WhatIsBeingClearedForOneIsNotClearedForAnother) {
  AddNode();
  const auto on_first = [](JobSpec spec) {
    spec.placement.node_labels["zone"] = "a";
    return spec;
  };
  ASSERT_TRUE(cluster_.Execute(ChangeNode{NodeId{0}, {}, {{"zone", "a"}}, {}}));
  JobSpec leaving = Spec(4, false);
  leaving.policy.preemptible = true;
  leaving.policy.priority = 100;
  Run(leaving);
  const JobId movable = Run(Spec(4));
  SetQueue queue{.name = "urgent"};
  ASSERT_TRUE(cluster_.Execute(queue));
  JobSpec urgent = Spec(4, false);
  urgent.policy.priority = 900;
  urgent.policy.queue = "urgent";
  const JobId first = Submit(urgent);
  cluster_.Pass();
  ASSERT_EQ(JobOf(first).nominated_nodes, std::vector<NodeId>{NodeId{0}});
  queue.limit.jobs = 0;
  ASSERT_TRUE(cluster_.Execute(queue));
  AddNode();
  const JobId second = Submit(on_first(Spec(2)));
  cluster_.Advance(Duration::Minutes(30));
  ASSERT_EQ(JobOf(movable).state, JobState::kRunning);
  EXPECT_FALSE(Find(second));
}

TEST_F(Moves, LimitsThatWouldKeepItOutKeepItWhereItIs) {
  const JobId a = LeaveHalvesFree();
  ASSERT_TRUE(cluster_.Execute(SetQueue{.name = "other"}));
  JobSpec spec = Spec(8);
  spec.policy.queue = "other";
  const JobId wide = Submit(spec);
  cluster_.Advance(Duration::Minutes(30));
  ASSERT_TRUE(Find(wide));
  ASSERT_TRUE(cluster_.Execute(SetQueue{.name = "default", .user_limit = {.gpus = 6}}));
  EXPECT_NE(Refusal({wide, {NodeId{0}}, {{a, {{NodeId{1}, 0xf0}}}}})
                .find("its limits would not let it start again"),
            std::string::npos);
  EXPECT_FALSE(Find(wide));
}

// A destination that fell away is one place among others a minute later.
TEST_F(Moves, ADestinationIsNotKeptForEver) {
  const JobId a = LeaveHalvesFree();
  const JobId wide = Submit(Spec(8));
  cluster_.Advance(Duration::Minutes(30));
  const auto plan = Find(wide);
  ASSERT_TRUE(plan);
  ASSERT_TRUE(cluster_.Execute(plan->moves));
  ASSERT_TRUE(
      cluster_.Execute(ChangeService{NodeId{1}, 4, ServiceAction::kOffline, false, "test"}));
  ReportAll();
  cluster_.Pass();
  ASSERT_EQ(JobOf(a).state, JobState::kQueued);
  EXPECT_TRUE(HoldsDestination(cluster_.state(), JobOf(a), cluster_.now()));
  cluster_.Advance(Duration::Minutes(1) + Duration::Milliseconds(1));
  EXPECT_FALSE(HoldsDestination(cluster_.state(), JobOf(a), cluster_.now()));
}

// A small job is not told that it fits where somebody is going.
TEST_F(Moves, WhatIsHeldIsNotFreeForOthers) {
  LeaveHalvesFree();
  const JobId wide = Submit(Spec(8));
  cluster_.Advance(Duration::Minutes(30));
  const auto plan = Find(wide);
  ASSERT_TRUE(plan);
  ASSERT_TRUE(cluster_.Execute(plan->moves));
  const JobId small = Submit(Spec(1));
  EXPECT_TRUE(cluster_.Pass().empty());
  const Explanation told = Explain(cluster_.state(), cluster_.now(), JobOf(small));
  EXPECT_FALSE(told.place);
  ASSERT_FALSE(told.reasons.empty());
  EXPECT_NE(told.reasons.front().kind, PendingKind::kTurn) << told.reasons.front().text;
}

TEST_F(Moves, AreRefusedWhereTheyMayNotBe) {
  AddNode();
  AddNode();
  const JobId a = Run(Spec(4));
  const JobId firm = Run(Spec(4, false));
  const JobId waits = Submit(Spec(8));
  const JobId gang = Submit(Spec(8, true, 2));
  const auto refusal = [this](const MoveJobs& command) { return Refusal(command); };
  cluster_.Pass();
  ASSERT_EQ(JobOf(gang).state, JobState::kQueued);
  const MoveJobs::Move good{a, {{NodeId{1}, 0xf}}};
  EXPECT_EQ(refusal({gang, {NodeId{0}, NodeId{1}}, {good}}), "");
  EXPECT_EQ(refusal({gang, {NodeId{0}}, {good}}),
            ToText(gang) + " needs 2 different nodes that exist");
  EXPECT_EQ(refusal({gang, {NodeId{0}, NodeId{9}}, {good}}),
            ToText(gang) + " needs 2 different nodes that exist");
  EXPECT_EQ(refusal({JobId{99}, {NodeId{0}}, {good}}), "no job " + ToText(JobId{99}));
  EXPECT_EQ(refusal({waits, {NodeId{0}}, {good}}),
            ToText(waits) + " is STARTING: nothing is moved for it");
  EXPECT_EQ(refusal({gang, {NodeId{0}, NodeId{1}}, {}}), "moves: name at least one job to move");
  EXPECT_EQ(refusal({gang, {NodeId{0}, NodeId{1}}, {good, good}}),
            "moves: " + ToText(a) + " is named twice");
  EXPECT_EQ(
      refusal({gang, {NodeId{0}, NodeId{1}}, {{firm, {{NodeId{1}, 0xf}}}}}),
      ToText(firm) + " (RUNNING) may not be moved: it must be movable, run, and not be stopping");
  EXPECT_EQ(
      refusal({gang, {NodeId{0}, NodeId{1}}, {{a, {{NodeId{1}, 0x7}}}}}),
      ToText(a) + " (RUNNING) may not be moved: its destination must have 4 GPUs of each node");
  EXPECT_EQ(refusal({gang, {NodeId{0}, NodeId{1}}, {{a, {}}}}),
            ToText(a) + " needs 1 different nodes that exist");
  Policy policy = cluster_.state().policy;
  policy.moves_per_hour = 0;
  ASSERT_TRUE(cluster_.Execute(StartController{policy}));
  EXPECT_EQ(refusal({gang, {NodeId{0}, NodeId{1}}, {good}}),
            "moves: 1 asked, 0 left in this hour (moves_per_hour)");
  EXPECT_FALSE(Find(gang));
}

// Random clusters: whatever moves are found, carried out they start who waits, and all go on.
TEST_F(Moves, LeadWhereTheySay) {
  int carried_out = 0;
  for (uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(seed);
    cluster_ = TestCluster();
    Policy policy;
    policy.min_run = Duration{};
    ASSERT_TRUE(cluster_.Execute(StartController{policy}));
    nodes_ = 0;
    Rng rng(seed);
    for (int i = rng.Between(2, 5); i > 0; --i) AddNode();
    std::vector<JobId> jobs;
    for (int i = rng.Between(6, 20); i > 0; --i) {
      const int gpus = 1 << rng.Below(3);
      const bool movable = rng.Chance(2, 3);
      jobs.push_back(Submit(Spec(gpus, movable, rng.Chance(1, 4) ? 2 : 1)));
    }
    cluster_.Pass();
    ReportAll();
    for (const JobId job : jobs) {
      const bool is_small =
          JobOf(job).spec->resources.nodes == 1 && JobOf(job).state == JobState::kRunning;
      if (is_small && rng.Chance(1, 2)) End(job);
    }
    cluster_.Pass();
    ReportAll();
    JobSpec tight = Spec(rng.Chance(1, 2) ? 8 : 4, true, rng.Chance(1, 3) ? 2 : 1);
    if (tight.resources.gpus.count == 4)
      tight.placement.topology.require = TopologyLevel::kSameNuma;
    const JobId waits = Submit(tight);
    cluster_.Pass();
    if (JobOf(waits).state != JobState::kQueued) continue;
    const auto plan = Find(waits);
    if (!plan) continue;
    ++carried_out;
    CarryOut(*plan);
    if (HasFailure()) return;
  }
  EXPECT_GE(carried_out, 30);
}

TEST_F(Moves, FragmentationIsWhatJobsLikeTheseCouldNotUse) {
  AddNode();
  AddNode();
  const auto of_pool = [this] {
    NodeClasses classes;
    for (const Node& node : cluster_.state().nodes.all) classes.Place(node);
    return FragmentationMeter(cluster_.state(), classes).OfPool(kDefaultPool);
  };
  EXPECT_FALSE(of_pool().is_known);
  EXPECT_EQ(of_pool().free, 16);
  Run(Spec(6, false));
  Run(Spec(6, false));
  // Jobs of 6 here, and 2 GPUs free on each node.
  EXPECT_EQ(of_pool().free, 4);
  EXPECT_EQ(of_pool().stranded, 4'000);
  // A job of one GPU beside them: 12 of the 13 GPUs that are asked for can use none of the 3.
  const JobId one = Run(Spec(1, false));
  EXPECT_EQ(of_pool().free, 3);
  EXPECT_EQ(of_pool().stranded, 3'000 * 12 / 13);
  // On an empty node six of eight could be used by one of them; jobs of one use all.
  AddNode();
  EXPECT_EQ(of_pool().free, 11);
  EXPECT_EQ(of_pool().stranded, 5'000 * 12 / 13);
  End(one);
  // What is out of service is not free.
  ASSERT_TRUE(cluster_.Execute(ChangeService{NodeId{1}, -1, ServiceAction::kDrain, false, "test"}));
  EXPECT_EQ(of_pool().free, 10);
  NodeClasses classes;
  for (const Node& node : cluster_.state().nodes.all) classes.Place(node);
  EXPECT_EQ(FragmentationMeter(cluster_.state(), classes).OfQueue(kDefaultQueue).stranded, 4'000);
}

}  // namespace
}  // namespace gp
