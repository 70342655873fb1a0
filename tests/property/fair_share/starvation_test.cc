// No class starves: under a flood of higher ones each job waits no longer than the demand before it
// in its class, served by the class's floor, takes.  GP_SEEDS: how many days of a cluster.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "domain/cluster/preemption.h"
#include "tests/property/fair_share/busy_cluster.h"

namespace gp {
namespace {

constexpr Duration kLongest = Duration::Minutes(BusyCluster::kMinutesMax);
constexpr int kGpus = BusyCluster::kNodes * BusyCluster::kGpusPerNode;

struct Waiter {
  JobId job;
  Duration bound;
};

// GPU time of the jobs of this class that wait or run.
Duration DemandOf(BusyCluster& world, int job_class) {
  Duration demand;
  for (const auto& [id, job] : world.engine().state().jobs.all) {
    if (IsTerminal(job.state) || ClassOf(job.spec->policy.priority) != job_class) continue;
    demand = demand + world.LengthOf(id) * job.spec->resources.gpus.count;
  }
  return demand;
}

// The class's first job is asked like the others for age_after.  Then each of its jobs takes its
// turn on the floor's GPUs, and what it needs is kept for it after reserve_after, until the longest
// of those there has ended.
Waiter SubmitWithBound(BusyCluster& world, const BusyCluster::Demand& demand) {
  const Policy& policy = world.engine().state().policy;
  const Duration ahead = DemandOf(world, ClassOf(demand.priority));
  const Duration served{ahead.ns * 100 / (policy.class_floor * kGpus)};
  return {world.Submit(demand), policy.age_after + policy.reserve_after + kLongest + served};
}

// Hours waited, and of the bound.
struct Wait {
  double hours = 0;
  double of_bound = 0;
};

std::vector<Wait> WaitsUnderFlood(uint64_t seed, int flood_priority, int priority) {
  BusyCluster world(seed);
  for (const char* user : {"ana", "ben", "eve"})
    world.KeepBusy({"default", user, false, flood_priority});
  world.RunUntil(world.now() + Duration::Minutes(600));
  std::vector<Waiter> waiters;
  for (int i = 0; i < 12; ++i) {
    const int together = world.rng().Between(1, 3);
    for (int k = 0; k < together; ++k)
      waiters.push_back(SubmitWithBound(world, {"default", "low", false, priority}));
    world.RunUntil(world.now() + Duration::Minutes(world.rng().Between(30, 600)));
  }
  world.RunUntil(world.now() + Duration::Minutes(10'000));
  std::vector<Wait> waits;
  for (const auto& [id, bound] : waiters) {
    const Job& job = *world.engine().state().FindJob(id);
    const Instant placed = job.attempts.empty() ? world.now() : job.attempts.front().placed_at;
    const Duration waited = placed - job.submitted_at;
    EXPECT_LE(waited.ns, bound.ns) << "seed " << seed << ", " << ToText(id) << ": "
                                   << ToText(waited) << " of " << ToText(bound);
    waits.push_back({static_cast<double>(waited.ns) / 3.6e12,
                     static_cast<double>(waited.ns) / static_cast<double>(bound.ns)});
  }
  return waits;
}

TEST(Starvation, EveryClassHasItsFloor) {
  const char* text = std::getenv("GP_SEEDS");
  const int seeds = text == nullptr ? 10 : std::atoi(text);
  for (const auto& [flood, priority] :
       {std::pair(900, 100), std::pair(900, 500), std::pair(500, 100)}) {
    std::vector<Wait> waits;
    for (int seed = 1; seed <= seeds; ++seed) {
      for (const Wait& wait : WaitsUnderFlood(static_cast<uint64_t>(seed), flood, priority))
        waits.push_back(wait);
    }
    std::ranges::sort(waits, {}, &Wait::hours);
    const double of_bound = std::ranges::max(waits, {}, &Wait::of_bound).of_bound;
    std::printf(
        "priority %d under a flood of %d: %zu jobs waited %.1f h (median), %.1f h at most, %.0f %% "
        "of their bound at most\n",
        priority, flood, waits.size(), waits[waits.size() / 2].hours, waits.back().hours,
        of_bound * 100);
  }
}

}  // namespace
}  // namespace gp
