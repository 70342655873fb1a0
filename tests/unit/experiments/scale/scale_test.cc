// The engine without a world: what it decides, not how fast.

#include <gtest/gtest.h>

#include "experiments/scale/scale_experiment.h"
#include "simulation/engine/engine.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

std::shared_ptr<const JobSpec> Spec(int gpus, int nodes = 1) {
  auto spec = std::make_shared<JobSpec>();
  spec->resources.gpus.count = gpus;
  spec->resources.nodes = nodes;
  spec->program.command = {"train"};
  return spec;
}

TEST(Engine, AJobFromSubmitToEnd) {
  Engine engine;
  for (const char* name : {"a", "b"}) engine.AddNode(TestCluster::MakeFacts(name, {0, 0, 1, 1}));
  const JobId gang = *engine.Submit(Spec(4, 2), {"ana", 1, 1});
  EXPECT_EQ(engine.Pass().Placements().size(), 1u);
  engine.Start(gang);
  EXPECT_EQ(engine.state().FindJob(gang)->state, JobState::kRunning);
  const JobId behind = *engine.Submit(Spec(1), {"ana", 1, 1});
  EXPECT_EQ(engine.Pass().Placements().size(), 0u);
  engine.AdvanceTo(Instant{5});
  engine.Finish(gang);
  EXPECT_EQ(engine.state().FindJob(gang)->state, JobState::kCompleted);
  EXPECT_EQ(engine.Pass().Placements().size(), 1u);
  EXPECT_EQ(engine.state().FindJob(behind)->state, JobState::kStarting);
}

TEST(Engine, RefusesAsTheControllerDoes) {
  Engine engine;
  EXPECT_FALSE(engine.Submit(Spec(65), {"ana", 1, 1}).has_value());
}

TEST(Scale, TheSameSeedMakesTheSameDecisions) {
  ScaleOptions options;
  options.nodes = 80;
  options.decisions = 300;
  options.queued = 2'000;
  options.shapes = 300;
  const ScaleResult first = RunScale(options);
  const ScaleResult second = RunScale(options);
  EXPECT_GT(first.decision.count, 250);
  EXPECT_EQ(first.decision.count, second.decision.count);
  EXPECT_EQ(first.classes, second.classes);
  EXPECT_EQ(first.gpus_used_percent, second.gpus_used_percent);
  EXPECT_LT(first.classes, 400);
  EXPECT_LE(first.gpus_used_percent, 92);
  options.seed = 43;
  EXPECT_NE(RunScale(options).classes, first.classes);
}

}  // namespace
}  // namespace gp
