#include "simulation/run/fragmentation_levels.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "simulation/engine/engine.h"
#include "simulation/engine/plain_node.h"
#include "simulation/run/run_figures.h"
#include "simulation/run/usage.h"

namespace gp {
namespace {

constexpr Instant kFirstPass{1'700'000'000'000'000'000};

class Cluster {
 public:
  explicit Cluster(int nodes) {
    engine.AdvanceTo(kFirstPass);
    for (int i = 0; i < nodes; ++i) engine.AddNode(PlainNode(i, 8));
    if (nodes == 1) return;
    ToOther(engine.state().nodes.all.back().id);
    SetQueue other;
    other.name = "other";
    other.pool = "other";
    (void)engine.Execute(other);
  }

  void ToOther(NodeId node) {
    ChangeNode change;
    change.node = node;
    change.pool = "other";
    (void)engine.Execute(change);
  }
  JobId Submit(int gpus, int nodes = 1, const std::string& queue = "",
               const std::string& user = "ana") {
    JobSpec spec;
    spec.program.command = {"run"};
    spec.resources.gpus.count = gpus;
    spec.resources.nodes = nodes;
    spec.policy.queue = queue;
    spec.resources.cpus = 1;
    spec.resources.memory_bytes = int64_t{1} << 30;
    const JobId id = *engine.Submit(std::make_shared<const JobSpec>(spec), {user, 1000, 1000});
    Settle();
    return id;
  }
  void Settle() {
    for (const PlaceGang& place : engine.Pass().Placements()) engine.Start(place.job);
  }
  JobState StateOf(JobId id) const { return engine.state().FindJob(id)->state; }
  Fragmentation Told(const std::string& pool) const {
    NodeClasses classes;
    for (const Node& node : engine.state().nodes.all) classes.Place(node);
    return FragmentationMeter(engine.state(), classes).OfPool(pool);
  }

  Engine engine;
};

void ExpectAgrees(FragmentationLevels& levels, const Cluster& cluster, uint64_t seed) {
  levels.Follow(cluster.engine.state());
  for (const char* pool : {"default", "other"}) {
    const Fragmentation told = cluster.Told(pool);
    const auto found = levels.by_pool().find(pool);
    const Fragmentation followed =
        found == levels.by_pool().end() ? Fragmentation{} : found->second;
    ASSERT_EQ(followed.free, told.free) << "seed " << seed << ", " << pool;
    ASSERT_EQ(followed.stranded, told.stranded) << "seed " << seed << ", " << pool;
    ASSERT_EQ(followed.is_known, told.is_known) << "seed " << seed << ", " << pool;
  }
}

// Submits, ends, cancels, drains and nodes that go to another pool; looked at only now and then.
TEST(FragmentationLevels, AgreeWithWhatIsToldOfTheState) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed);
    Cluster cluster(rng.Between(2, 5));
    FragmentationLevels levels;
    std::vector<JobId> jobs;
    for (int step = 0; step < 60; ++step) {
      const uint64_t what = rng.Below(10);
      const NodeId node =
          cluster.engine.state().nodes.all[rng.Below(cluster.engine.state().nodes.all.size())].id;
      if (what < 6 || jobs.empty()) {
        const bool gang = rng.Chance(1, 4);
        jobs.push_back(cluster.Submit(rng.Between(0, 8), gang ? 2 : 1,
                                      rng.Chance(1, 4) ? "other" : "",
                                      rng.Chance(1, 2) ? "ana" : "ben"));
      } else if (what < 8) {
        const JobId id = jobs[rng.Below(jobs.size())];
        if (cluster.StateOf(id) == JobState::kRunning) cluster.engine.Finish(id);
        if (cluster.StateOf(id) == JobState::kQueued)
          (void)cluster.engine.Execute(StopJob{id, true});
      } else if (what == 8) {
        (void)cluster.engine.Execute(ChangeService{
            node, -1, rng.Chance(1, 2) ? ServiceAction::kDrain : ServiceAction::kOnline, false,
            "test"});
      } else {
        cluster.ToOther(node);
      }
      cluster.Settle();
      if (!rng.Chance(1, 2)) continue;
      ASSERT_NO_FATAL_FAILURE(ExpectAgrees(levels, cluster, seed));
    }
  }
}

TEST(HoldMeter, WeighsFragmentationByTime) {
  Cluster cluster(1);
  HoldMeter meter;
  const auto pass = [&](int seconds) {
    const Instant now = cluster.engine.now() + Duration::Seconds(seconds);
    meter.Observe(cluster.engine.state(), now);
    cluster.engine.AdvanceTo(now);
  };
  pass(0);
  pass(1'000);  // nobody is here to measure it by
  EXPECT_FALSE(meter.so_far().fragmentation());
  const JobId four = cluster.Submit(4);
  pass(100);  // 4 are free, and one more like it would fit
  EXPECT_EQ(meter.so_far().fragmentation(), 0);
  const JobId three = cluster.Submit(3);
  pass(100);  // 1 is free, and of no use to either
  EXPECT_DOUBLE_EQ(*meter.so_far().fragmentation(), 100.0 / 500);
  cluster.engine.Finish(four);
  const JobId eight = cluster.Submit(8);
  // 5 are free: 2 are left beside another one of 3, with weight 3, and 5 for the one of 8 that
  // waits
  pass(100);
  EXPECT_NEAR(*meter.so_far().fragmentation(), (100 + 100 * (2 * 3 + 5 * 8) / 11.0) / 1'000, 1e-4);
  cluster.engine.Finish(three);
  cluster.Settle();
  EXPECT_EQ(cluster.StateOf(eight), JobState::kRunning);
  pass(1'000);  // nothing is free
  EXPECT_NEAR(*meter.so_far().fragmentation(), (100 + 100 * (2 * 3 + 5 * 8) / 11.0) / 1'000, 1e-4);
  EXPECT_EQ(FiguresOf({}, meter.so_far()).fragmentation, meter.so_far().fragmentation());
}

TEST(RunFigures, WithoutFreeGpusFragmentationIsUnknown) {
  EXPECT_FALSE(FiguresOf({}, {}).fragmentation);
}

}  // namespace
}  // namespace gp
