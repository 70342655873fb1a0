// What would start a job that waits: each kind of change, in its words, and where it is not named.

#include "domain/explaining/explain.h"
#include "tests/unit/domain/cluster_fixture.h"

namespace gp {
namespace {

class Changes : public ClusterFixture {
 protected:
  // "kind: text" of each change, one a line.
  std::string Of(const JobSpec& spec, const std::string& user = "ana") {
    return TextsOf(JobWith(spec, user));
  }
  std::string TextsOf(const Job& job) {
    std::string text;
    for (const Change& change : Explain(cluster_.state(), cluster_.now(), job).changes)
      text += std::string(Name(change.kind)) + ": " + change.text + "\n";
    return text;
  }
  // Those of one kind.
  std::string Of(ChangeKind kind, const JobSpec& spec) {
    std::string text;
    for (const Change& change :
         Explain(cluster_.state(), cluster_.now(), JobWith(spec, "ana")).changes) {
      if (change.kind == kind) text += (text.empty() ? "" : "; ") + change.text;
    }
    return text;
  }
  // One that is not submitted.
  Job JobWith(const JobSpec& spec, const std::string& user) const {
    Job job;
    job.spec = std::make_shared<const JobSpec>(spec);
    job.user = {user, 1, 1};
    job.queued_at = cluster_.now();
    return job;
  }
  // A job of another user that does not give way.
  JobId Hold(int gpus, Duration limit = {}) {
    return Run(SpecOf(gpus, [limit](JobSpec& spec) { spec.policy.time_limit = limit; }), "ben");
  }
};

TEST_F(Changes, OfAJobThatStartsAreNone) {
  AddNode("n1");
  EXPECT_EQ(Of(SpecOf(8)), "");
}

TEST_F(Changes, FewerGpusAreAsManyAsThereAre) {
  AddNode("n1");
  Hold(3);
  EXPECT_EQ(Of(ChangeKind::kFewerGpus, SpecOf(8)), "gpus: 5 instead of 8");
  EXPECT_EQ(Of(ChangeKind::kFewerGpus,
               SpecOf(8, [](JobSpec& s) { s.placement.topology.allow_cross_numa = false; })),
            "gpus: 4 instead of 8")
      << "of one NUMA node";
  Hold(5);
  EXPECT_EQ(Of(ChangeKind::kFewerGpus, SpecOf(8)), "");
}

TEST_F(Changes, FewerGpusOfAGangAreSaidOfEachNode) {
  AddNode("n1");
  AddNode("n2");
  Hold(3);
  EXPECT_EQ(Of(ChangeKind::kFewerGpus, SpecOf(8, [](JobSpec& s) { s.resources.nodes = 2; })),
            "gpus: 5 instead of 8 on each node");
}

TEST_F(Changes, FewerNodesAreAsManyAsThereAre) {
  AddNode("n1");
  AddNode("n2");
  EXPECT_EQ(Of(ChangeKind::kFewerNodes, SpecOf(8, [](JobSpec& s) { s.resources.nodes = 4; })),
            "nodes: 2 instead of 4");
  Hold(8);
  EXPECT_EQ(Of(ChangeKind::kFewerNodes, SpecOf(8, [](JobSpec& s) { s.resources.nodes = 4; })),
            "nodes: 1 instead of 4");
  Hold(8);
  EXPECT_EQ(Of(ChangeKind::kFewerNodes, SpecOf(8, [](JobSpec& s) { s.resources.nodes = 4; })), "");
}

TEST_F(Changes, ATopologyIsWeakenedNoFurtherThanItHelps) {
  AddNode("n1", {0, 0, 1, 1});
  const auto strict = [](TopologyLevel require, bool across) {
    return SpecOf(3, [=](JobSpec& s) {
      s.placement.topology.require = require;
      s.placement.topology.allow_cross_numa = across;
    });
  };
  EXPECT_EQ(Of(ChangeKind::kTopology, strict(TopologyLevel::kNone, false)),
            "topology.allow_cross_numa: true");
  EXPECT_EQ(Of(ChangeKind::kTopology, strict(TopologyLevel::kSameNuma, true)),
            "topology.require: none");
  EXPECT_EQ(Of(ChangeKind::kTopology, strict(TopologyLevel::kNvlink, false)),
            "topology.allow_cross_numa: true")
      << "all GPUs are linked";
  EXPECT_EQ(Of(ChangeKind::kTopology, strict(TopologyLevel::kSameNuma, false)),
            "topology: {require: none, allow_cross_numa: true}");
}

TEST_F(Changes, AnotherModelIsOneThatIsFree) {
  cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0}, 18, 81'559, 48, "NVIDIA H100 80GB"));
  cluster_.AddNode(TestCluster::MakeFacts("n2", {0, 0}, 18, 40'000, 48, "NVIDIA A100"));
  const auto spec = [](const char* model) {
    return SpecOf(2, [model](JobSpec& s) { s.resources.gpus.models = {model}; });
  };
  EXPECT_EQ(Of(ChangeKind::kModel, spec("B200")), "model: NVIDIA A100") << "the first by name";
  Run(spec("A100"));
  EXPECT_EQ(Of(ChangeKind::kModel, spec("B200")), "model: NVIDIA H100 80GB");
  Run(spec("H100"));
  EXPECT_EQ(Of(ChangeKind::kModel, spec("B200")), "");
}

TEST_F(Changes, LessMemoryIsThatOfTheLargestGpusThatAreFree) {
  cluster_.AddNode(TestCluster::MakeFacts("n1", {0, 0}, 18, 80'000));
  cluster_.AddNode(TestCluster::MakeFacts("n2", {0, 0}, 18, 40'000));
  const auto spec = [](int64_t memory_mib) {
    return SpecOf(2, [=](JobSpec& s) { s.resources.gpus.memory_mib_min = memory_mib; });
  };
  EXPECT_EQ(Of(ChangeKind::kGpuMemory, spec(90'000)), "memory_min: 80000MiB instead of 90000MiB");
  Run(spec(80'000));
  EXPECT_EQ(Of(ChangeKind::kGpuMemory, spec(90'000)), "memory_min: 40000MiB instead of 90000MiB");
  EXPECT_EQ(Of(ChangeKind::kGpuMemory, spec(80'000)), "memory_min: 40000MiB instead of 80000MiB");
}

// 48 cores on each of two NUMA nodes, and 512 GiB of memory.
TEST_F(Changes, FewerCoresAndLessMemoryAreTheMostThatThereIs) {
  AddNode("n1");
  EXPECT_EQ(Of(ChangeKind::kHost, SpecOf(1, [](JobSpec& s) { s.resources.cpus = 200; })),
            "cpus: 96 instead of 200");
  constexpr int64_t kGiB = int64_t{1} << 30;
  EXPECT_EQ(
      Of(ChangeKind::kHost, SpecOf(1, [](JobSpec& s) { s.resources.memory_bytes = 2'000 * kGiB; })),
      "memory: 1024GiB instead of 2000GiB");
  EXPECT_EQ(Of(ChangeKind::kHost, SpecOf(1,
                                         [](JobSpec& s) {
                                           s.resources.memory_bytes = 2'000 * kGiB;
                                           s.resources.shm_bytes = 1'500 * kGiB;
                                         })),
            "memory: 1024GiB instead of 2000GiB")
      << "with as much less of what counts against it";
}

TEST_F(Changes, NodeLabelsAreLeftOutOneByOneOrAll) {
  const NodeId node = AddNode("n1");
  Do(ChangeNode{node, {}, {{"zone", "a"}}, {}});
  const auto spec = [](std::map<std::string, std::string> labels) {
    return SpecOf(1, [&](JobSpec& s) { s.placement.node_labels = std::move(labels); });
  };
  EXPECT_EQ(Of(ChangeKind::kNodeLabels, spec({{"zone", "b"}})), "without the node label zone=b");
  EXPECT_EQ(Of(ChangeKind::kNodeLabels, spec({{"rack", "r1"}, {"zone", "a"}})),
            "without the node label rack=r1");
  EXPECT_EQ(Of(ChangeKind::kNodeLabels, spec({{"rack", "r1"}, {"zone", "b"}})),
            "without node labels");
}

TEST_F(Changes, AnotherQueueIsOneWhoseLimitsLetItIn) {
  AddNode("n1");
  Do(SetQueue{.name = "default", .limit = {.gpus = 4}});
  Do(SetQueue{.name = "a", .limit = {.gpus = 7}});
  Do(SetQueue{.name = "b"});
  Do(SetQueue{.name = "b/c"});
  EXPECT_EQ(Of(ChangeKind::kQueue, SpecOf(8)), "queue: b/c") << "none that has queues below it";
  EXPECT_EQ(Of(ChangeKind::kQueue, SpecOf(7)), "queue: a");
  Do(SetQueue{.name = "b/c", .limit = {.gpus = 0}});
  EXPECT_EQ(Of(ChangeKind::kQueue, SpecOf(8)), "");
}

TEST_F(Changes, ATimeLimitIsTheLongestThatEndsBeforeAReservation) {
  const NodeId node = AddNode("n1");
  ReserveNodes reserve;
  reserve.reservation.name = "course";
  reserve.reservation.nodes = {node};
  reserve.reservation.users = {"ben"};
  reserve.reservation.starts_at = cluster_.now() + Duration::Minutes(30);
  reserve.reservation.ends_at = cluster_.now() + Duration::Minutes(60);
  Do(reserve);
  EXPECT_EQ(Of(ChangeKind::kTimeLimit, SpecOf(1)), "time_limit: 29m")
      << "whole minutes, with its grace and ten seconds to end";
  EXPECT_EQ(Of(ChangeKind::kTimeLimit,
               SpecOf(1, [](JobSpec& s) { s.policy.grace = Duration::Minutes(10); })),
            "time_limit: 19m");
  cluster_.Advance(Duration::Minutes(29));
  EXPECT_EQ(Of(ChangeKind::kTimeLimit, SpecOf(1)), "") << "no minute is left";
}

TEST_F(Changes, ATimeLimitOfADayWhereTheStartOfAnotherIsUnknown) {
  AddNode("n1");
  Hold(4);
  const JobId wide = Submit(SpecOf(8));
  cluster_.Pass();
  EXPECT_EQ(Of(ChangeKind::kTimeLimit, SpecOf(2)), "time_limit: 1d");
  Do(StopJob{wide});
  EXPECT_EQ(Of(ChangeKind::kTimeLimit, SpecOf(2)), "");
}

TEST_F(Changes, PreemptibleBorrowsWhatIsGuaranteedToOthers) {
  AddNode("n1");
  Do(SetQueue{.name = "owner", .guaranteed = 8});
  EXPECT_EQ(Of(ChangeKind::kPreemptible, SpecOf(2)), "preemptible: true");
  EXPECT_EQ(
      Of(ChangeKind::kPreemptible, SpecOf(9, [](JobSpec& s) { s.policy.preemptible = true; })), "");
}

TEST_F(Changes, APriorityIsTheLowestClassThatHelpsAndNamesTheVictims) {
  Begin([](Policy& policy) { policy.min_run = {}; });
  AddNode("n1");
  const auto low = [](int priority) {
    return SpecOf(4, [priority](JobSpec& s) {
      s.policy.priority = priority;
      s.policy.preemptible = true;
    });
  };
  Run(low(100), "ben");
  Run(low(400), "ben");
  const auto asked = [](int gpus) {
    return SpecOf(gpus, [](JobSpec& s) { s.policy.priority = 200; });
  };
  EXPECT_EQ(Of(ChangeKind::kPriority, asked(4)), "priority: 500: job-1 would be preempted");
  EXPECT_EQ(Of(ChangeKind::kPriority, asked(8)), "priority: 750: job-1, job-2 would be preempted");
  EXPECT_EQ(Of(ChangeKind::kPriority, SpecOf(9)), "");
}

TEST_F(Changes, WaitingNamesTheFewestThatMustEnd) {
  AddNode("n1");
  const JobId first = Hold(2, Duration::Minutes(10));
  Hold(3, Duration::Minutes(20));
  Hold(3);
  EXPECT_EQ(Of(ChangeKind::kWait, SpecOf(2)),
            "wait until " + ToText(first) + " has ended, at 2023-11-14T22:24:00Z at the latest");
  EXPECT_EQ(Of(ChangeKind::kWait, SpecOf(3)),
            "wait until job-2 has ended, at 2023-11-14T22:34:00Z at the latest")
      << "the first one alone is not enough, and not needed";
  EXPECT_EQ(Of(ChangeKind::kWait, SpecOf(5)),
            "wait until job-1, job-2 have ended, at 2023-11-14T22:34:00Z at the latest");
  EXPECT_EQ(Of(ChangeKind::kWait, SpecOf(8)), "wait until job-1, job-2, job-3 have ended");
}

TEST_F(Changes, WaitingDoesNotHelpWhatNoNodeCanHold) {
  AddNode("n1");
  Hold(8);
  EXPECT_EQ(Of(ChangeKind::kWait, SpecOf(9)), "");
}

TEST_F(Changes, MovesNameWhoGoesElsewhere) {
  Begin([](Policy& policy) { policy.min_run = {}; });
  AddNode("n1");
  AddNode("n2");
  const auto movable = [](bool is_movable) {
    return SpecOf(4, [is_movable](JobSpec& s) { s.policy.movable = is_movable; });
  };
  const JobId first = Run(movable(true));
  const JobId filler = Run(movable(false));
  Run(movable(false));
  EndAll(filler);
  EXPECT_EQ(Of(ChangeKind::kMove, SpecOf(8)),
            "move " + ToText(first) + " elsewhere (gpu-platform defrag plan)");
}

TEST_F(Changes, ComeInTheOrderOfTheirKinds) {
  AddNode("n1");
  Hold(4, Duration::Minutes(10));
  EXPECT_EQ(Of(SpecOf(8)),
            "fewer-gpus: gpus: 4 instead of 8\n"
            "wait: wait until job-1 has ended, at 2023-11-14T22:24:00Z at the latest\n");
}

// The explanation beside the changes: who is before it, who holds what it could use.
TEST_F(Changes, StandBesideWhoHoldsWhatItCouldUse) {
  AddNode("n1");
  cluster_.AddNode(TestCluster::MakeFacts("n2", {0, 0}, 18, 81'559, 48, "NVIDIA A100"));
  Hold(3);
  Run(SpecOf(5), "cho");
  Run(SpecOf(2, [](JobSpec& s) { s.resources.gpus.models = {"A100"}; }), "dan");
  Do(ChangeNode{AddNode("n3"), "big", {}, {}});
  Do(SetQueue{.name = "big", .pool = "big"});
  Submit(SpecOf(8, [](JobSpec& s) {
    s.policy.queue = "big";
    s.policy.priority = 900;
  }));
  const JobId before = Submit(SpecOf(8));
  const JobId asked = Submit(SpecOf(4));
  const Explanation told = Explain(cluster_.state(), cluster_.now(), JobOf(asked));
  ASSERT_EQ(told.holders.size(), 2U) << "dan has nothing that would help";
  EXPECT_EQ(told.holders[0].user, "cho");
  EXPECT_EQ(told.holders[0].share, 5'000);
  EXPECT_EQ(told.holders[1].user, "ben");
  EXPECT_EQ(told.ahead, 1) << "not those of another pool";
  EXPECT_EQ(Explain(cluster_.state(), cluster_.now(), JobOf(before)).ahead, 0);
  EXPECT_FALSE(told.place);
  EXPECT_FALSE(told.reasons.empty());
}

}  // namespace
}  // namespace gp
