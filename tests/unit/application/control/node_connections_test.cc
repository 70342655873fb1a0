#include "application/control/node_connections.h"

#include <gtest/gtest.h>

#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "application/control/control_loop.h"
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
    return {std::make_shared<const NodeFacts>(TestCluster::MakeFacts("n1", {0, 0})), incarnation, true, {}, 0};
  }
  std::shared_ptr<NodeExchange> Join(uint64_t incarnation) { return nodes->Join(1, JoinOf(incarnation))->exchange; }
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
  EXPECT_EQ(news->answered, 1u);
  ASSERT_TRUE(news->orders);
  EXPECT_TRUE(news->orders->leases.empty());
  EXPECT_EQ(exchange->TakeNews()->answered, 0u) << "told once";
}

TEST(NodeConnections, WhatIsPlacedOnANodeIsToldToItAtOnce) {
  NodesRig rig;
  const auto exchange = rig.Join(1);
  ASSERT_TRUE(exchange->Hear(2, AgentReport{{}, {{0, true, false, ""}, {1, true, false, ""}}, {}}));
  rig.Work();
  (void)exchange->TakeNews();
  JobSpec spec;
  spec.command = {"/bin/true"};
  ASSERT_TRUE(rig.loop->Execute("user:ana", "", SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000}}).status);
  rig.Work();
  const auto news = exchange->TakeNews();
  ASSERT_TRUE(news && news->orders);
  EXPECT_EQ(news->orders->leases.size(), 1u);
}

// The agent forgets what was answered.
TEST(NodeConnections, NewsAreAnsweredWhenTheyAreWritten) {
  NodesRig rig;
  const auto exchange = rig.Join(1);
  (void)exchange->TakeNews();
  ASSERT_TRUE(exchange->Hear(2, AgentReport{{}, {{0, true, false, ""}, {1, true, false, ""}}, {}}));
  EXPECT_EQ(exchange->TakeNews()->answered, 0u);
  rig.Work();
  EXPECT_EQ(exchange->TakeNews()->answered, 2u);
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
  const auto joined = rig.nodes->Join(1, join);
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->exchange, nullptr);
  EXPECT_NE(joined->foreign_to, 0u);
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
