// Queues: where they may stand in the tree, what may be guaranteed, and when they may go.

#include "tests/unit/domain/cluster_fixture.h"

namespace gp {
namespace {

class DecideQueue : public ClusterFixture {
 protected:
  DecideQueue() { node_ = AddNode("n1"); }

  std::string Set(const std::string& name, std::optional<int64_t> guaranteed = std::nullopt) {
    return Refusal(SetQueue{.name = name, .guaranteed = guaranteed});
  }
  const Queue& QueueOf(const std::string& name) const {
    return cluster_.state().queues.all.at(name);
  }
  static JobSpec In(const std::string& queue, int gpus = 1) {
    return SpecOf(gpus, [&](JobSpec& spec) { spec.policy.queue = queue; });
  }

  NodeId node_;
};

TEST_F(DecideQueue, ComeFromTheTopDown) {
  EXPECT_EQ(Set("a/b"), "not-found: no queue a: make the upper one first");
  EXPECT_EQ(Set("a"), "");
  EXPECT_EQ(Set("a/b"), "");
  EXPECT_EQ(Set("a/b/c"), "");
  EXPECT_EQ(Set("default/a"),
            "conflict: queue default is for jobs that name none: no queues go below it");
  EXPECT_EQ(Set("a//b").substr(0, 25), "invalid-argument: queue: ");
}

// Users and queues never share one level: shares would not be comparable.
TEST_F(DecideQueue, StandOnlyBelowOneWithoutJobs) {
  Set("a");
  const JobId id = Submit(In("a"));
  EXPECT_EQ(Set("a/b"),
            "conflict: queue a has jobs that wait or run: queues go only below one without");
  Do(StopJob{id});
  EXPECT_EQ(Set("a/b"), "") << "what is over does not count";
}

TEST_F(DecideQueue, KeepWhatIsNotNamed) {
  SetQueue set{.name = "a"};
  set.weight = 3;
  set.limit = {.gpus = 8, .jobs = 4, .gpu_hours = 100};
  set.user_limit = {.gpus = 2};
  set.default_time = Duration::Minutes(10);
  set.max_time = Duration::Minutes(60);
  set.reclaimable = false;
  set.network = NetworkAccess::kNone;
  Do(set);
  Do(SetQueue{.name = "a", .limit = {.jobs = -1}});
  Queue expected{.name = "a", .weight = 3, .reclaimable = false};
  expected.limit = {8, std::nullopt, 100};
  expected.user_limit.gpus = 2;
  expected.default_time = Duration::Minutes(10);
  expected.max_time = Duration::Minutes(60);
  expected.network = NetworkAccess::kNone;
  EXPECT_EQ(QueueOf("a"), expected);
  EXPECT_EQ(Refusal(SetQueue{.name = "a", .limit = {.gpus = -2}}),
            "invalid-argument: limit.gpus: -2 is not between 0 and 10000000");
}

TEST_F(DecideQueue, AreInThePoolOfTheQueueAbove) {
  Do(ChangeNode{node_, "big", {}, {}});
  EXPECT_EQ(Refusal(SetQueue{.name = "a", .pool = "nowhere"}),
            "invalid-argument: pool: no node is in pool nowhere; put one there first: gpu-platform "
            "nodes pool NODE nowhere");
  EXPECT_EQ(Refusal(SetQueue{.name = "a", .pool = "big"}), "");
  EXPECT_EQ(Set("a/b"), "");
  EXPECT_EQ(QueueOf("a/b").pool, "big") << "as the one above, if nothing is said";
  EXPECT_EQ(Refusal(SetQueue{.name = "a/c", .pool = "default"}),
            "invalid-argument: pool: the queue above, a, is in pool big");
  EXPECT_EQ(Refusal(SetQueue{.name = "a", .pool = "default"}),
            "conflict: pool: queue a has jobs, or queues below it, in pool big");
  Do(DeleteQueue{"a/b"});
  EXPECT_EQ(Refusal(SetQueue{.name = "a", .pool = "default"}), "");
}

TEST_F(DecideQueue, DoNotLeaveTheirPoolWithJobs) {
  Do(SetQueue{.name = "a"});
  AddNode("n2");
  Do(ChangeNode{node_, "big", {}, {}});
  const JobId id = Submit(In("a"));
  EXPECT_EQ(Refusal(SetQueue{.name = "a", .pool = "big"}),
            "conflict: pool: queue a has jobs, or queues below it, in pool default");
  EXPECT_EQ(Refusal(SetQueue{.name = "a", .pool = "default"}), "") << "where it is";
  Do(StopJob{id});
  EXPECT_EQ(Refusal(SetQueue{.name = "a", .pool = "big"}), "");
}

// Eight GPUs are installed.
TEST_F(DecideQueue, GuaranteesAreCoveredByThePool) {
  EXPECT_EQ(Set("a", 5), "");
  EXPECT_EQ(Set("b", 4),
            "conflict: guaranteed: 9 GPUs would be guaranteed in all, pool default has 8");
  EXPECT_EQ(Set("b", 3), "");
  EXPECT_EQ(Set("a", 6),
            "conflict: guaranteed: 9 GPUs would be guaranteed in all, pool default has 8");
  EXPECT_EQ(Set("b", 2), "");
  EXPECT_EQ(Set("a", 6), "");
}

TEST_F(DecideQueue, GuaranteesAreCoveredByTheQueueAbove) {
  EXPECT_EQ(Set("a", 4), "");
  EXPECT_EQ(Set("a/x", 3), "");
  EXPECT_EQ(Set("a/y", 2),
            "conflict: guaranteed: 5 GPUs would be guaranteed in all, to the queues below a; it "
            "has itself 4");
  EXPECT_EQ(Set("a/y", 1), "");
  EXPECT_EQ(Set("a", 3),
            "conflict: guaranteed: 4 GPUs would be guaranteed in all, to the queues below a; it "
            "has itself 3");
  EXPECT_EQ(Set("a/x", 2), "");
  EXPECT_EQ(Set("a", 3), "");
  EXPECT_EQ(Set("b"), "");
  EXPECT_EQ(Set("b/x", 1),
            "conflict: guaranteed: 1 GPUs would be guaranteed in all, to the queues below b; it "
            "has itself 0");
}

// The pool has shrunk below what is guaranteed: nobody is forced to give up more at once.
TEST_F(DecideQueue, AGuaranteeMayBeKeptOrLoweredInAPoolThatShrank) {
  const NodeId second = AddNode("n2");
  EXPECT_EQ(Set("a", 12), "");
  Do(ChangeNode{second, "other", {}, {}});
  EXPECT_EQ(Refusal(SetQueue{.name = "a", .weight = 2}), "");
  EXPECT_EQ(Set("a", 12), "");
  EXPECT_EQ(Set("a", 10), "");
  EXPECT_EQ(Set("a", 11),
            "conflict: guaranteed: 11 GPUs would be guaranteed in all, pool default has 8");
  EXPECT_EQ(Set("b", 0), "");
}

TEST_F(DecideQueue, AnotherPoolDoesNotCoverTheGuarantee) {
  const NodeId second = AddNode("n2", {0, 0});
  Do(ChangeNode{second, "small", {}, {}});
  EXPECT_EQ(Set("a", 8), "");
  EXPECT_EQ(Refusal(SetQueue{.name = "a", .pool = "small"}),
            "conflict: guaranteed: 8 GPUs would be guaranteed in all, pool small has 2");
  EXPECT_EQ(Refusal(SetQueue{.name = "b", .pool = "small", .guaranteed = 2}), "")
      << "what is guaranteed elsewhere does not count";
}

TEST_F(DecideQueue, GoFromTheBottomUpAndWithoutJobs) {
  Set("a");
  Set("a/b");
  const auto remove = [&](const std::string& name) { return Refusal(DeleteQueue{name}); };
  EXPECT_EQ(remove("none"), "not-found: no queue none");
  EXPECT_EQ(remove("default"), "conflict: queue default is for jobs that name none, and stays");
  EXPECT_EQ(remove("a"), "conflict: queue a has queues below it: delete these first");
  const JobId id = Submit(In("a/b"));
  EXPECT_EQ(remove("a/b"), "conflict: queue a/b has jobs that wait or run");
  Do(StopJob{id});
  EXPECT_EQ(remove("a/b"), "");
  EXPECT_EQ(remove("a"), "");
  EXPECT_EQ(remove("a"), "not-found: no queue a");
}

TEST_F(DecideQueue, TakeTheirRolesTokensAndBudgetsWithThem) {
  Set("a");
  Set("b");
  for (const char* queue : {"a", "b"}) {
    Do(GrantRole{"ana", queue, Role::kOperator});
    SetBudget budget{.key = {queue, "", ""}, .gpu_hours = 10};
    Do(budget);
  }
  Do(DeleteQueue{"a"});
  EXPECT_FALSE(cluster_.state().access.roles.contains({"ana", "a"}));
  EXPECT_TRUE(cluster_.state().access.roles.contains({"ana", "b"}));
  EXPECT_FALSE(cluster_.state().queues.budgets.contains({"a", "", ""}));
  EXPECT_TRUE(cluster_.state().queues.budgets.contains({"b", "", ""}));
}

TEST_F(DecideQueue, NodesHaveLabelsWithinLimits) {
  const auto change = [&](std::map<std::string, std::string> labels,
                          std::vector<std::string> removed = {}) {
    return Refusal(ChangeNode{node_, {}, std::move(labels), std::move(removed)});
  };
  EXPECT_EQ(change({{"zone", "a"}, {"rack", "r1"}}), "");
  EXPECT_EQ(change({}, {"row"}), "not-found: node n1 has no label row");
  EXPECT_EQ(change({{"a b", ""}}).substr(0, 25), "invalid-argument: label: ");
  EXPECT_EQ(change({{"zone", "\n"}}).substr(0, 30), "invalid-argument: label zone: ");
  EXPECT_EQ(change({{"zone", "b"}}, {"rack"}), "");
  EXPECT_EQ(cluster_.state().FindNode(node_)->labels,
            (std::map<std::string, std::string>{{"zone", "b"}}));
  std::map<std::string, std::string> many;
  for (int i = 0; i < 63; ++i) many["l" + std::to_string(i)] = "";
  EXPECT_EQ(change(many), "");
  EXPECT_EQ(change({{"one-more", ""}}), "invalid-argument: a node has at most 64 labels");
  EXPECT_EQ(change({{"one-more", ""}}, {"zone"}), "") << "one goes for it";
  EXPECT_EQ(Refusal(ChangeNode{{7}, {}, {}, {}}), "not-found: no node with id 7");
}

TEST_F(DecideQueue, WhatANodeHasAlreadyIsNoEvent) {
  Do(ChangeNode{node_, {}, {{"zone", "a"}}, {}});
  EXPECT_TRUE(Do(ChangeNode{node_, "default", {{"zone", "a"}}, {}}).empty());
  EXPECT_TRUE(Do(ChangeNode{node_, {}, {}, {}}).empty());
  EXPECT_TRUE(Do(ChangeNode{node_, {}, {{"zone", "a"}}, {"zone"}}).empty())
      << "taken away and given again";
}

TEST_F(DecideQueue, AReservedNodeStaysInItsPool) {
  ReserveNodes reserve;
  reserve.reservation = {.name = "course",
                         .nodes = {node_},
                         .ends_at = cluster_.now() + Duration::Minutes(60),
                         .users = {"ana"}};
  Do(reserve);
  EXPECT_EQ(Refusal(ChangeNode{node_, "big", {}, {}}),
            "conflict: pool: node n1 is in reservation course, which is of pool default");
  Do(EndReservation{"course"});
  EXPECT_EQ(Refusal(ChangeNode{node_, "a/b", {}, {}}).substr(0, 24), "invalid-argument: pool: ");
  EXPECT_EQ(Refusal(ChangeNode{node_, "big", {}, {}}), "");
}

}  // namespace
}  // namespace gp
