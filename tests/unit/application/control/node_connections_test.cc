#include "application/control/node_connections.h"

#include <gtest/gtest.h>

#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "application/control/control_loop.h"
#include "domain/cluster/decide/decide.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

// Run by hand: nothing happens but what the test asks for.
struct NodesRig {
  ManualClock clock;
  MemoryJournal journal;
  std::unique_ptr<ControlLoop> loop;
  std::unique_ptr<NodeConnections> nodes;

  NodesRig() {
    ControlOptions options;
    options.by_hand = true;
    loop = *ControlLoop::Open(journal, clock, options);
    nodes = std::make_unique<NodeConnections>(*loop);
    loop->AddObserver(nodes.get());
  }
  JoinNode JoinOf(uint64_t incarnation) const {
    return {std::make_shared<const NodeFacts>(TestCluster::MakeFacts("n1", {0, 0})),
            incarnation,
            true,
            {},
            0};
  }
  Result<Joined> Join(JoinNode join) {
    std::optional<Result<Joined>> joined;
    EXPECT_TRUE(nodes->Join(1, std::move(join), [&](Result<Joined> with) { joined = with; }));
    EXPECT_FALSE(joined) << "the writer answers";
    while (!joined) (void)loop->Turn();
    return *joined;
  }
  std::shared_ptr<NodeExchange> Join(uint64_t incarnation) {
    return Join(JoinOf(incarnation))->exchange;
  }
  void Work() {
    while (*loop->Turn() == Duration{}) continue;
  }
};

TEST(NodeConnections, AJoinIsAnsweredWithTheNodesOrders) {
  NodesRig rig;
  const auto exchange = rig.Join(1);
  ASSERT_NE(exchange, nullptr);
  const auto news = exchange->TakeNews();
  ASSERT_TRUE(news);
  EXPECT_EQ(news->acknowledged, 1u);
  ASSERT_TRUE(news->desired);
  EXPECT_TRUE(news->desired->leases.empty());
  EXPECT_EQ(exchange->TakeNews()->acknowledged, 0u) << "told once";
}

TEST(NodeConnections, WhatIsPlacedOnANodeIsToldToItAtOnce) {
  NodesRig rig;
  const auto exchange = rig.Join(1);
  ASSERT_TRUE(exchange->Hear(2, AgentReport{{}, {{0, true, false, ""}, {1, true, false, ""}}, {}}));
  rig.Work();
  (void)exchange->TakeNews();
  JobSpec spec;
  spec.program.command = {"/bin/true"};
  ASSERT_TRUE(rig.loop
                  ->Execute("user:ana", "",
                            SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000}})
                  .status);
  rig.Work();
  const auto news = exchange->TakeNews();
  ASSERT_TRUE(news && news->desired);
  EXPECT_EQ(news->desired->leases.size(), 1u);
}

// The agent forgets what was answered.
TEST(NodeConnections, NewsAreAnsweredWhenTheyAreWritten) {
  NodesRig rig;
  const auto exchange = rig.Join(1);
  (void)exchange->TakeNews();
  ASSERT_TRUE(exchange->Hear(2, AgentReport{{}, {{0, true, false, ""}, {1, true, false, ""}}, {}}));
  EXPECT_EQ(exchange->TakeNews()->acknowledged, 0u);
  rig.Work();
  EXPECT_EQ(exchange->TakeNews()->acknowledged, 2u);
}

// The writer does nothing meanwhile.
TEST(NodeConnections, AHeartbeatIsAnsweredAtOnce) {
  NodesRig rig;
  const auto exchange = rig.Join(1);
  const auto joined = exchange->TakeNews();
  EXPECT_EQ(joined->heartbeat_every, Duration::Seconds(1));
  ASSERT_TRUE(exchange->Hear(2, AgentReport{}));
  exchange->HearHeartbeat(3);
  const auto news = exchange->TakeNews();
  ASSERT_TRUE(news);
  EXPECT_EQ(news->heartbeat, 3u);
  EXPECT_EQ(news->acknowledged, 0u) << "the report before it is not durable";
  EXPECT_FALSE(news->wants_report);
  EXPECT_EQ(news->lease_time, joined->lease_time);
  EXPECT_EQ(news->epoch, joined->epoch);
  EXPECT_EQ(exchange->TakeNews()->heartbeat, 0u) << "told once";
}

TEST(NodeConnections, AHeartbeatKeepsANode) {
  NodesRig rig;
  const auto exchange = rig.Join(1);
  for (uint64_t number = 2; number < 22; ++number) {
    rig.clock.Advance(Duration::Seconds(1));
    exchange->HearHeartbeat(number);
    rig.Work();
  }
  ASSERT_TRUE(rig.loop->Read(
      [](const State& state) { EXPECT_EQ(state.nodes.all[0].condition, NodeCondition::kUp); }));
}

TEST(NodeConnections, AHeartbeatOfALostNodeRenewsNothingUntilItsReportIsDurable) {
  NodesRig rig;
  const auto exchange = rig.Join(1);
  (void)exchange->TakeNews();
  for (int second = 0; second < 11; ++second) {
    rig.clock.Advance(Duration::Seconds(1));
    rig.Work();
  }
  exchange->HearHeartbeat(2);
  EXPECT_TRUE(exchange->TakeNews()->wants_report);
  ASSERT_TRUE(exchange->Hear(3, AgentReport{}));
  exchange->HearHeartbeat(4);
  EXPECT_TRUE(exchange->TakeNews()->wants_report);
  rig.Work();
  exchange->HearHeartbeat(5);
  const auto news = exchange->TakeNews();
  EXPECT_EQ(news->acknowledged, 3u);
  EXPECT_EQ(news->heartbeat, 5u);
  EXPECT_FALSE(news->wants_report);
}

TEST(NodeConnections, NewsOfTheGpusOfALostNodeRenewNothing) {
  NodesRig rig;
  const auto exchange = rig.Join(1);
  for (int second = 0; second < 11; ++second) {
    rig.clock.Advance(Duration::Seconds(1));
    rig.Work();
  }
  ASSERT_TRUE(exchange->Hear(2, GpuNews{}));
  rig.Work();
  EXPECT_FALSE(exchange->TakeNews()) << "it is to join again";
}

// Its agent numbers GPUs as its machine lists them: what goes up and down is rewritten.
TEST(NodeConnections, AMachineWithoutItsFirstGpuIsUnderstood) {
  NodesRig rig;
  (void)rig.Join(1);
  JoinNode less = rig.JoinOf(2);
  NodeFacts facts = *less.facts;
  facts.gpus.erase(facts.gpus.begin());
  facts.links = {0};
  less.facts = std::make_shared<const NodeFacts>(facts);
  const auto exchange = rig.Join(less)->exchange;
  ASSERT_TRUE(exchange->Hear(2, AgentReport{{}, {{0, true, false, ""}}, {}}));
  rig.Work();
  ASSERT_TRUE(rig.loop->Read([](const State& state) {
    EXPECT_EQ(state.nodes.all[0].gpus[0].condition, GpuCondition::kLost);
    EXPECT_EQ(state.nodes.all[0].gpus[1].condition, GpuCondition::kAvailable);
  }));
  (void)exchange->TakeNews();
  JobSpec spec;
  spec.program.command = {"/bin/true"};
  spec.resources.gpus.count = 1;
  ASSERT_TRUE(rig.loop
                  ->Execute("user:ana", "",
                            SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000}})
                  .status);
  rig.Work();
  const auto news = exchange->TakeNews();
  ASSERT_TRUE(news && news->desired);
  ASSERT_EQ(news->desired->leases.size(), 1u);
  EXPECT_EQ(news->desired->leases[0].lease.gpus.at(0).gpu, 0) << "the agent's first";
  ASSERT_TRUE(rig.loop->Read(
      [](const State& state) { EXPECT_EQ(state.leases.all.begin()->second.gpus.at(0).gpu, 1); }));
}

TEST(NodeConnections, AnotherMachineOfTheSameNameIsSentAwayAndTheFirstUnharmed) {
  NodesRig rig;
  const auto first = rig.Join(1);
  (void)first->TakeNews();
  JoinNode other = rig.JoinOf(9);
  NodeFacts facts = *other.facts;
  for (GpuFacts& gpu : facts.gpus) gpu.uuid += "-other";
  other.facts = std::make_shared<const NodeFacts>(facts);
  for (int i = 0; i < 2; ++i) {
    const auto refused = rig.Join(other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(
        refused.error().message,
        "another machine is node n1: give this one a name of its own (gpu-platform agent --name)");
  }
  ASSERT_TRUE(first->Hear(2, AgentReport{{}, {{0, true, false, ""}, {1, true, false, ""}}, {}}));
  rig.Work();
  EXPECT_EQ(first->TakeNews()->acknowledged, 2u);
  ASSERT_TRUE(
      rig.loop->Read([](const State& state) { EXPECT_EQ(state.faults.incidents.size(), 1u); }));
}

// A GPU that is held and otherwise divided keeps its division until nobody holds it; then the agent
// joins again.
TEST(NodeConnections, WhatWasHeldBackIsTakenInWhenItIsFree) {
  NodesRig rig;
  const auto before = rig.Join(1);
  ASSERT_TRUE(before->Hear(2, AgentReport{{}, {{0, true, false, ""}, {1, true, false, ""}}, {}}));
  JobSpec spec;
  spec.program.command = {"/bin/true"};
  spec.resources.gpus.count = 2;
  ASSERT_TRUE(rig.loop
                  ->Execute("user:ana", "",
                            SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000}})
                  .status);
  rig.Work();
  JoinNode less = rig.JoinOf(2);
  less.fresh = false;
  LeaseObservation seen;
  ASSERT_TRUE(rig.loop->Read([&](const State& state) {
    less.lineage = state.lineage;
    seen.lease = state.leases.all.begin()->first;
  }));
  seen.running = true;
  less.leases = {seen};
  NodeFacts facts = *less.facts;
  facts.numa[0].memory_mib = 1'000;  // less than the job has
  less.facts = std::make_shared<const NodeFacts>(facts);
  const auto exchange = rig.Join(less)->exchange;
  ASSERT_NE(exchange, nullptr);
  seen.running = false;
  seen.ended = true;
  ASSERT_TRUE(exchange->Hear(2, AgentReport{{seen}, {}, {}}));
  rig.Work();
  EXPECT_FALSE(exchange->TakeNews()) << "it is to join again";
  EXPECT_NE(rig.Join(rig.JoinOf(3))->exchange, nullptr);
}

TEST(NodeConnections, ANewerConnectionEndsTheOneBefore) {
  NodesRig rig;
  const auto old = rig.Join(1);
  const auto now = rig.Join(2);
  EXPECT_FALSE(old->TakeNews());
  EXPECT_TRUE(now->TakeNews());
  old->End();
  EXPECT_TRUE(now->TakeNews()) << "the end of the old one is none of the new one's";
}

TEST(NodeConnections, AStaleReportEndsItsConnection) {
  NodesRig rig;
  const auto exchange = rig.Join(1);
  ASSERT_TRUE(rig.loop->Execute("node:n1", "", rig.JoinOf(2)).status);
  ASSERT_TRUE(exchange->Hear(2, AgentReport{}));
  rig.Work();
  EXPECT_FALSE(exchange->TakeNews());
}

TEST(NodeConnections, WhoKeepsAttemptsOfAnotherJournalIsSentAway) {
  NodesRig rig;
  JoinNode join = rig.JoinOf(1);
  join.lineage = 12;
  join.fresh = false;
  const auto joined = rig.Join(join);
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->exchange, nullptr);
  EXPECT_NE(joined->foreign_to, 0u);
}

TEST(NodeConnections, ATransportIsWokenWheneverThereIsNews) {
  NodesRig rig;
  const auto exchange = rig.Join(1);
  int woken = 0;
  int ended = 0;
  exchange->WhenNews([&](bool is_over) { ++(is_over ? ended : woken); });
  EXPECT_EQ(woken, 1) << "the answer to the join waits already";
  (void)exchange->TakeNews();
  ASSERT_TRUE(exchange->Hear(2, AgentReport{}));
  EXPECT_EQ(woken, 1);
  rig.Work();
  EXPECT_GT(woken, 1);
  EXPECT_EQ(ended, 0);
  exchange->End();
  EXPECT_EQ(ended, 1);
  exchange->End();
  EXPECT_EQ(ended, 1) << "nobody waits any more";
}

// Both joins are in one batch: the state after it is what both are answered from.
TEST(NodeConnections, OfTwoJoinsAtOnceTheNewerIsServed) {
  NodesRig rig;
  std::vector<std::shared_ptr<NodeExchange>> exchanges;
  const auto keep = [&](Result<Joined> joined) { exchanges.push_back(joined->exchange); };
  ASSERT_TRUE(rig.nodes->Join(1, rig.JoinOf(1), keep));
  ASSERT_TRUE(rig.nodes->Join(1, rig.JoinOf(2), keep));
  rig.Work();
  ASSERT_EQ(exchanges.size(), 2u);
  EXPECT_FALSE(exchanges[0]->TakeNews());
  EXPECT_EQ(exchanges[1]->TakeNews()->acknowledged, 1u);
}

// It shows a newer credential than the one that was revoked.
TEST(NodeConnections, AJoinAfterARevocationInTheSameBatchStays) {
  NodesRig rig;
  const CertifyNode certify{
      "n1", {std::string(64, 'a'), rig.clock.Now() + Duration::Minutes(60)}, ""};
  ASSERT_TRUE(rig.loop->Execute("node:n1", "", certify).status);
  const auto old = rig.Join(1);
  ASSERT_TRUE(rig.loop->Post("user:root", RevokeNode{"n1"}, {}));
  std::shared_ptr<NodeExchange> now;
  ASSERT_TRUE(rig.nodes->Join(1, rig.JoinOf(2), [&](Result<Joined> joined) {
    ASSERT_TRUE(joined);
    now = joined->exchange;
  }));
  rig.Work();
  EXPECT_FALSE(old->TakeNews());
  ASSERT_NE(now, nullptr);
  EXPECT_TRUE(now->TakeNews());
}

TEST(NodeConnections, AChannelNeedsAnAgent) {
  NodesRig rig;
  EXPECT_FALSE(rig.nodes->OpenChannel(NodeId{0}, 7));
  const auto exchange = rig.Join(1);
  ASSERT_TRUE(rig.nodes->OpenChannel(exchange->node(), 7));
  EXPECT_EQ(exchange->TakeNews()->channels, (std::vector<uint64_t>{7}));
  exchange->End();
  EXPECT_FALSE(rig.nodes->OpenChannel(exchange->node(), 8));
}

}  // namespace
}  // namespace gp
