// What becomes of jobs in a run whose nodes are lost.

#include <gtest/gtest.h>

#include "simulation/engine/plain_node.h"
#include "simulation/run/run_player.h"

namespace gp {
namespace {

constexpr Instant kLossBegin{1'700'000'000'000'000'000};

Instant LossAt(int seconds) { return kLossBegin + Duration::Seconds(seconds); }

// A run of two nodes: one is lost while a gang is on both, and comes back.
class LostNode : public testing::Test {
 protected:
  LostNode() {
    Add(0, StartController{});
    for (uint32_t node = 0; node < 2; ++node) steps_.push_back({LossAt(0), Node(node)});
  }

  static NodeArrival Node(uint32_t number) {
    return {NodeId{number},
            std::make_shared<const NodeFacts>(PlainNode(static_cast<int>(number), 8))};
  }
  void Add(int at_s, Command command) { steps_.push_back({LossAt(at_s), std::move(command)}); }
  void AddGang(int nodes, Duration checkpoint_every = {}) {
    auto spec = std::make_shared<JobSpec>();
    spec->program.command = {"train"};
    spec->resources.nodes = nodes;
    spec->resources.gpus.count = 8;
    steps_.push_back(
        {LossAt(0),
         JobArrival{
             JobId{1}, spec, {"ana", 1000, 1000}, Duration::Seconds(1000), checkpoint_every}});
  }
  PlayedRun Play() const { return RunPlayer(steps_, {}).Play(); }

  RunSteps steps_;
};

TEST_F(LostNode, TheGangStartsAgainWhenTheNodeIsBack) {
  AddGang(2);
  Add(300, ExpireHeartbeat{NodeId{1}});
  steps_.push_back({LossAt(400), Node(1)});
  const PlayedRun played = Play();
  EXPECT_EQ(played.lives[0].faults, 1);
  EXPECT_EQ(played.lives[0].ended_at, LossAt(1400));
  EXPECT_EQ(played.refused, 0);
}

TEST_F(LostNode, CheckpointsOutliveIt) {
  AddGang(2, Duration::Seconds(200));
  Add(300, ExpireHeartbeat{NodeId{1}});
  steps_.push_back({LossAt(400), Node(1)});
  // 200 s were saved, 800 are left, and a minute goes for its return.
  EXPECT_EQ(Play().lives[0].ended_at, LossAt(400 + 800 + 60));
}

// Its leases run out by themselves; nothing else ever happens.
TEST_F(LostNode, TheGangMovesWhenItsLeasesHaveRunOut) {
  steps_.push_back({LossAt(0), Node(2)});
  AddGang(2);
  Add(300, ExpireHeartbeat{NodeId{1}});
  EXPECT_EQ(Play().lives[0].ended_at, LossAt(300 + 1000) + kLeaseEndTime);
}

TEST_F(LostNode, ALostNodeReportsNothing) {
  AddGang(2);
  Add(300, ExpireHeartbeat{NodeId{0}});
  Add(302, ExpireHeartbeat{NodeId{1}});
  steps_.push_back({LossAt(400), Node(0)});
  steps_.push_back({LossAt(500), Node(1)});
  EXPECT_EQ(Play().lives[0].ended_at, LossAt(500 + 1000))
      << "not even that the gang's rank there has stopped";
}

TEST_F(LostNode, WhoMayRunOnWaitsUntilItIsDeclaredLost) {
  AddGang(1);
  Add(300, ExpireHeartbeat{NodeId{0}});
  EXPECT_FALSE(Play().lives[0].ended_at) << "nobody knows whether it still runs";
  Add(350, DeclareNodeLost{NodeId{0}, "burnt"});
  EXPECT_EQ(Play().lives[0].ended_at, LossAt(350 + 1000)) << "on the other node";
}

TEST_F(LostNode, NothingIsPlayedBeyondTheEnd) {
  AddGang(2);
  PlayOptions options;
  options.until = LossAt(900);
  const PlayedRun played = RunPlayer(steps_, options).Play();
  EXPECT_FALSE(played.lives[0].ended_at);
  EXPECT_EQ(played.ends_at, LossAt(900));
  EXPECT_NEAR(played.usage.held(), 16 * 900 / 3600.0, 1e-9);
}

}  // namespace
}  // namespace gp
