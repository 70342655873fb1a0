// Weeks of a full cluster in virtual time, played by the production engine.  GP_DAYS: how many.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "base/rng.h"
#include "domain/cluster/quota.h"
#include "simulation/engine/engine.h"
#include "simulation/engine/plain_node.h"

namespace gp {
namespace {

constexpr int kNodes = 8;
constexpr int kGpusPerNode = 8;

class World {
 public:
  explicit World(uint64_t seed) : rng_(seed) {
    engine_.AdvanceTo(Instant{1'700'000'000'000'000'000});
    for (int i = 0; i < kNodes; ++i) engine_.AddNode(PlainNode(i, kGpusPerNode));
  }

  void SetQueue(const std::string& name, int weight, int64_t guaranteed = 0) {
    gp::SetQueue set;
    set.name = name;
    set.weight = weight;
    set.guaranteed = guaranteed;
    ASSERT_TRUE(engine_.Execute(set).has_value()) << name;
  }

  // From now on the user never runs out of jobs there.
  void KeepBusy(const std::string& queue, const std::string& user, bool preemptible = false) {
    demands_.push_back({queue, user, preemptible});
  }

  // Jobs of 1 to 8 GPUs for minutes to hours; whoever is told to stop does so at once.
  void RunUntil(Instant end) {
    while (true) {
      Refill();
      Pass();
      const Instant next = NextInstant();
      if (next > end) break;
      engine_.AdvanceTo(next);
      while (!ends_.empty() && ends_.begin()->first <= next) {
        const JobId job = ends_.begin()->second;
        ends_.erase(ends_.begin());
        engine_.Finish(job);
      }
    }
    engine_.AdvanceTo(end);
  }

  Instant now() const { return engine_.now(); }
  Engine& engine() { return engine_; }

  // Of the faded use of all queues at the top.
  double ShareOf(const std::string& queue, const std::vector<std::string>& siblings) const {
    double all = 0;
    for (const std::string& one : siblings) all += static_cast<double>(UseOf(one));
    return static_cast<double>(UseOf(queue)) / all;
  }
  int64_t HeldBy(const std::string& queue) const {
    return HeldNow(engine_.state(), {queue, ""}).share / 1000;
  }

 private:
  struct Demand {
    std::string queue;
    std::string user;
    bool preemptible = false;
  };

  int64_t UseOf(const std::string& queue) const {
    return AccountAt(engine_.state(), {queue, ""}, engine_.now()).faded_use;
  }

  void Refill() {
    std::map<std::pair<std::string, std::string>, int> waiting;
    for (const JobId id : engine_.state().queued) {
      const Job& job = *engine_.state().FindJob(id);
      ++waiting[{job.queue, job.user.name}];
    }
    for (const Demand& demand : demands_) {
      for (int i = waiting[{demand.queue, demand.user}]; i < 4; ++i) Submit(demand);
    }
  }

  void Submit(const Demand& demand) {
    auto spec = std::make_shared<JobSpec>();
    spec->command = {"train"};
    spec->queue = demand.queue;
    spec->preemptible = demand.preemptible;
    spec->gpus.count = 1 << rng_.Between(0, 3);
    spec->cpus = 1;
    spec->memory_bytes = int64_t{1} << 30;
    ASSERT_TRUE(engine_.Submit(spec, {demand.user, 1000, 1000}).has_value());
  }

  void Pass() {
    const Plan plan = engine_.Pass();
    look_again_at_ = plan.look_again_at;
    for (const Plan::Step& step : plan.steps) {
      if (const auto* placed = std::get_if<PlaceGang>(&step)) {
        engine_.Start(placed->job);
        const int minutes = rng_.Between(5, 240);
        ends_.insert({engine_.now() + Duration::Minutes(minutes), placed->job});
      } else {
        const JobId job = std::get<PreemptJob>(step).job;
        std::erase_if(ends_, [job](const auto& end) { return end.second == job; });
        engine_.Stop(job);
      }
    }
    if (!plan.steps.empty()) Pass();
  }

  Instant NextInstant() const {
    Instant next{INT64_MAX};
    if (!ends_.empty()) next = ends_.begin()->first;
    if (look_again_at_.ns != 0) next = std::min(next, look_again_at_);
    return next;
  }

  Rng rng_;
  Engine engine_;
  std::vector<Demand> demands_;
  std::set<std::pair<Instant, JobId>> ends_;
  Instant look_again_at_;
};

int Days(int otherwise) {
  const char* text = std::getenv("GP_DAYS");
  return text == nullptr ? otherwise : std::atoi(text);
}

constexpr Duration kDay = Duration::Minutes(24 * 60);

TEST(FairShare, UseConvergesToTheWeights) {
  World world(1);
  world.SetQueue("a", 1);
  world.SetQueue("b", 2);
  world.SetQueue("c", 5);
  world.SetQueue("c/x", 1);
  world.SetQueue("c/y", 3);
  for (const char* queue : {"a", "b", "c/x", "c/y"}) {
    for (const char* user : {"ana", "ben"}) world.KeepBusy(queue, user);
  }
  world.RunUntil(world.now() + kDay * Days(4));
  const std::vector<std::string> top = {"a", "b", "c"};
  std::printf("use: a %.4f (0.1250) b %.4f (0.2500) c %.4f (0.6250); within c: x %.4f (0.2500)\n", world.ShareOf("a", top),
              world.ShareOf("b", top), world.ShareOf("c", top), world.ShareOf("c/x", {"c/x", "c/y"}));
  EXPECT_NEAR(world.ShareOf("a", top), 1.0 / 8, 0.02);
  EXPECT_NEAR(world.ShareOf("b", top), 2.0 / 8, 0.02);
  EXPECT_NEAR(world.ShareOf("c", top), 5.0 / 8, 0.02);
  EXPECT_NEAR(world.ShareOf("c/x", {"c/x", "c/y"}), 0.25, 0.02);
}

TEST(FairShare, WhoComesLateCatchesUp) {
  World world(2);
  world.SetQueue("early", 1);
  world.SetQueue("late", 1);
  world.KeepBusy("early", "ana");
  world.RunUntil(world.now() + kDay);
  EXPECT_NEAR(static_cast<double>(world.HeldBy("early")), kNodes * kGpusPerNode, 4.0) << "nobody else wants it";
  world.KeepBusy("late", "ben");
  world.RunUntil(world.now() + kDay * Days(3));
  const double share = world.ShareOf("late", {"early", "late"});
  std::printf("use of who came a day late: %.4f (0.5000)\n", share);
  EXPECT_NEAR(share, 0.5, 0.02);
}

TEST(FairShare, WhatIsGuaranteedComesBackInTime) {
  double longest_min = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    World world(seed);
    world.SetQueue("owner", 1, 32);
    world.SetQueue("guest", 8);
    world.KeepBusy("guest", "ben", true);
    world.RunUntil(world.now() + Duration::Minutes(300));
    world.KeepBusy("owner", "ana");
    const Instant asked = world.now();
    // Its jobs are of 1 to 8 GPUs: it may stop short of the last ones.
    while (world.HeldBy("owner") < 24 && world.now() - asked < Duration::Minutes(60)) world.RunUntil(world.now() + Duration::Seconds(15));
    longest_min = std::max(longest_min, static_cast<double>((world.now() - asked).ns) / 60e9);
    const Duration grace = world.engine().state().policy.reclaim_grace;
    EXPECT_LE((world.now() - asked).ns, (grace + Duration::Minutes(1)).ns) << seed;
    world.RunUntil(world.now() + Duration::Minutes(30));
    EXPECT_GE(world.HeldBy("owner"), 24) << seed;
  }
  std::printf("guaranteed GPUs came back after %.1f min at most\n", longest_min);
}

}  // namespace
}  // namespace gp
