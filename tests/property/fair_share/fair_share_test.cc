// Weeks of a full cluster in virtual time, played by the production engine.  GP_DAYS: how many.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/property/fair_share/busy_cluster.h"

namespace gp {
namespace {

int Days(int otherwise) {
  const char* text = std::getenv("GP_DAYS");
  return text == nullptr ? otherwise : std::atoi(text);
}

constexpr Duration kDay = Duration::Minutes(24 * 60);

TEST(FairShare, UseConvergesToTheWeights) {
  BusyCluster world(1);
  world.SetQueue("a", 1);
  world.SetQueue("b", 2);
  world.SetQueue("c", 5);
  world.SetQueue("c/x", 1);
  world.SetQueue("c/y", 3);
  for (const char* queue : {"a", "b", "c/x", "c/y"}) {
    for (const char* user : {"ana", "ben"}) world.KeepBusy({queue, user});
  }
  world.RunUntil(world.now() + kDay * Days(4));
  const std::vector<std::string> top = {"a", "b", "c"};
  std::printf("use: a %.4f (0.1250) b %.4f (0.2500) c %.4f (0.6250); within c: x %.4f (0.2500)\n",
              world.ShareOf("a", top), world.ShareOf("b", top), world.ShareOf("c", top),
              world.ShareOf("c/x", {"c/x", "c/y"}));
  EXPECT_NEAR(world.ShareOf("a", top), 1.0 / 8, 0.02);
  EXPECT_NEAR(world.ShareOf("b", top), 2.0 / 8, 0.02);
  EXPECT_NEAR(world.ShareOf("c", top), 5.0 / 8, 0.02);
  EXPECT_NEAR(world.ShareOf("c/x", {"c/x", "c/y"}), 0.25, 0.02);
}

TEST(FairShare, WhoComesLateCatchesUp) {
  BusyCluster world(2);
  world.SetQueue("early", 1);
  world.SetQueue("late", 1);
  world.KeepBusy({"early", "ana"});
  world.RunUntil(world.now() + kDay);
  EXPECT_GT(world.HeldBy("early"), (BusyCluster::kNodes - 1) * BusyCluster::kGpusPerNode)
      << "nobody else wants it";
  world.KeepBusy({"late", "ben"});
  world.RunUntil(world.now() + kDay * Days(3));
  const double share = world.ShareOf("late", {"early", "late"});
  std::printf("use of who came a day late: %.4f (0.5000)\n", share);
  EXPECT_NEAR(share, 0.5, 0.02);
}

TEST(FairShare, WhatIsGuaranteedComesBackInTime) {
  double longest_min = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    BusyCluster world(seed);
    world.SetQueue("owner", 1, 32);
    world.SetQueue("guest", 8);
    world.KeepBusy({"guest", "ben", true});
    world.RunUntil(world.now() + Duration::Minutes(300));
    world.KeepBusy({"owner", "ana"});
    const Instant asked = world.now();
    // Its jobs are of 1 to 8 GPUs: it may stop short of the last ones.
    while (world.HeldBy("owner") < 24 && world.now() - asked < Duration::Minutes(60))
      world.RunUntil(world.now() + Duration::Seconds(15));
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
