#include "simulation/run/run_series.h"

#include <gtest/gtest.h>

#include "simulation/engine/plain_node.h"
#include "simulation/run/run_player.h"

namespace gp {
namespace {

constexpr Instant kFirstRun{1'700'000'000'000'000'000};

Instant RunAt(int64_t seconds) { return kFirstRun + Duration::Seconds(seconds); }

NodeArrival Node(uint32_t number) {
  return {NodeId{number},
          std::make_shared<const NodeFacts>(PlainNode(static_cast<int>(number), 8))};
}

JobArrival Job(uint64_t id, int gpus, int64_t length_s) {
  auto spec = std::make_shared<JobSpec>();
  spec->program.command = {"train"};
  spec->resources.gpus.count = gpus;
  return {JobId{id}, spec, {"ana", 1000, 1000}, Duration::Seconds(length_s), {}};
}

// Two jobs of 6 GPUs on one node, which is drained for the last 20 s; a second node comes late.
RunSeries Played() {
  const RunSteps steps = {
      {RunAt(0), StartController{}},
      {RunAt(0), Node(0)},
      {RunAt(0), Job(1, 6, 20)},
      {RunAt(10), Job(2, 6, 20)},
      {RunAt(25), ChangeService{NodeId{0}, -1, ServiceAction::kDrain, false, ""}},
      {RunAt(30), Node(1)}};
  SeriesMeter meter;
  PlayOptions options;
  options.watch = meter.Watch();
  const PlayedRun played = RunPlayer(steps, options).Play();
  return meter.Take(played.ends_at);
}

TEST(RunSeries, TellsWhatWasHeldWaitingAndThere) {
  const RunSeries series = Played();
  EXPECT_EQ(series.begin, RunAt(0));
  EXPECT_EQ(series.end, RunAt(40));
  ASSERT_EQ(series.held.size(), 40u);
  EXPECT_EQ(series.held[5], 6);
  EXPECT_EQ(series.held[35], 6);
  EXPECT_EQ(series.waiting[5], 0);
  EXPECT_EQ(series.waiting[15], 1);
  EXPECT_EQ(series.waiting[25], 0);
  EXPECT_EQ(series.installed[29], 8);
  EXPECT_EQ(series.installed[30], 16);
  EXPECT_EQ(series.serving[24], 8);
  EXPECT_EQ(series.serving[26], 0);
  EXPECT_EQ(series.serving[31], 8);
}

TEST(RunSeries, NodesHaveTheirOwn) {
  const RunSeries series = Played();
  ASSERT_EQ(series.nodes.size(), 2u);
  EXPECT_EQ(series.nodes[0].gpus, 8);
  EXPECT_EQ(series.nodes[0].held, series.held);
  EXPECT_EQ(series.nodes[1].held, std::vector<double>(40, 0.0));
  EXPECT_EQ(series.nodes[1].serving[29], 0);
  EXPECT_EQ(series.nodes[1].serving[31], 8);
}

TEST(RunSeries, NothingWasObserved) {
  SeriesMeter meter;
  EXPECT_TRUE(meter.Take(RunAt(0)).held.empty());
}

}  // namespace
}  // namespace gp
