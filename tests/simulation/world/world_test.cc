// Worlds under faults of every kind.  GP_WORLDS says how many, GP_SEED_FIRST with which seed to
// begin, so that a large number can be divided among cores.  A world that fails is made smaller by
// `simulate world --shrink`.

#include "simulation/world/world.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "adapters/inbound/xid_catalogue/xid_catalogue.h"
#include "simulation/world/shrink.h"

namespace gp {
namespace {

#ifdef __OPTIMIZE__
constexpr uint64_t kWorlds = 150;
constexpr uint64_t kSharedWorlds = 100;
#else
constexpr uint64_t kWorlds = 20;
constexpr uint64_t kSharedWorlds = 10;
#endif

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

Policy BasePolicy() {
  Policy policy;
  policy.faults.xids = XidRules();
  return policy;
}

// GP_SHRINK says how many tries a failing world is worth.
std::string Smallest(const WorldPlan& plan) {
  const auto breaks = [&](const WorldPart& part) { return !RunWorld(plan, part).broken.empty(); };
  const WorldPart small =
      Shrink(WholeOf(plan), static_cast<int>(FromEnvironment("GP_SHRINK", 0)), breaks);
  return RunWorld(plan, small).broken + "\n  " + TellPart(plan, small);
}

void ExpectEveryRule(size_t controllers, uint64_t count) {
  const uint64_t first = FromEnvironment("GP_SEED_FIRST", 1);
  const Policy policy = BasePolicy();
  uint64_t steps = 0;
  uint64_t crashes = 0;
  int failures = 0;
  for (uint64_t seed = first; seed < first + count && failures < 10; ++seed) {
    const WorldPlan plan = DrawWorld(seed, policy, controllers);
    ASSERT_GE(plan.hosts.size(), 8u);
    ASSERT_GE(plan.jobs.size(), 50u);
    const WorldReport report = RunWorld(plan, WholeOf(plan));
    steps += report.steps;
    crashes += report.crashes;
    EXPECT_GE(report.steps, report.broken.empty() ? 1'000u : 0u);
    if (report.broken.empty()) continue;
    ++failures;
    ADD_FAILURE() << "seed " << seed << ": " << report.broken << "\n  again: " << Smallest(plan);
  }
  std::printf("%lu worlds, %lu steps, %lu crashes of the controller\n", count, steps, crashes);
}

TEST(Worlds, HoldEveryRule) { ExpectEveryRule(1, FromEnvironment("GP_WORLDS", kWorlds)); }

TEST(Worlds, HoldEveryRuleWithThreeControllers) {
  ExpectEveryRule(3, FromEnvironment("GP_WORLDS", kSharedWorlds));
}

TEST(Worlds, AreTheSameEachTime) {
  const Policy policy = BasePolicy();
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const WorldPlan plan = DrawWorld(seed, policy);
    const uint64_t digest = RunWorld(plan, WholeOf(plan)).digest;
    const WorldPlan again = DrawWorld(seed, policy);
    EXPECT_EQ(RunWorld(again, WholeOf(again)).digest, digest) << "seed " << seed;
    const WorldPlan other = DrawWorld(seed + 1'000, policy);
    EXPECT_NE(RunWorld(other, WholeOf(other)).digest, digest) << "seed " << seed;
  }
}

}  // namespace
}  // namespace gp
