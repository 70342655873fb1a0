// Whom a waiting job interrupts, against every set of running jobs (docs/reference/policies.md).

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>
#include <tuple>

#include "base/rng.h"
#include "domain/cluster/grants.h"
#include "domain/cluster/preemption.h"
#include "domain/placement/choose_gpus.h"
#include "domain/scheduling/find_victims.h"
#include "simulation/engine/engine.h"
#include "simulation/engine/plain_node.h"

namespace gp {
namespace {

class Crowd {
 public:
  explicit Crowd(uint64_t seed) : rng_(seed) {
    engine_.AdvanceTo(Instant{1'700'000'000'000'000'000});
    const int nodes = rng_.Between(1, 3);
    for (int i = 0; i < nodes; ++i) engine_.AddNode(PlainNode(i, rng_.Chance(1, 2) ? 8 : 4));
    for (int i = 0; i < 12; ++i) {
      const JobId id = Submit(1 << rng_.Between(0, 3), rng_.Chance(1, 5) ? 2 : 1, 250 * rng_.Between(1, 3), rng_.Chance(2, 3));
      engine_.Pass();
      if (HoldsLeases(engine_.state().FindJob(id)->state)) {
        engine_.Start(id);
        running_.push_back(id);
      } else {
        (void)engine_.Execute(StopJob{id, true});
      }
    }
    engine_.AdvanceTo(engine_.now() + Duration::Minutes(10));
    job_ = Submit(1 << rng_.Between(0, 3), 1, 250 * rng_.Between(2, 3), false);
  }

  const State& state() const { return engine_.state(); }
  const Job& job() const { return *state().FindJob(job_); }
  bool FitsNow() const { return Fits({}); }

  std::optional<Victims> Found() const {
    Interruptible interruptible(state(), engine_.now());
    return FindVictims(state(), ScratchNodes(state()), interruptible, {}, job());
  }

  // The least (highest class, GPUs interrupted, jobs) of all sets that make room on one node and take
  // nobody who may not be taken.
  using Cost = std::tuple<int, int64_t, size_t>;
  std::optional<Cost> Least() const {
    std::vector<const Job*> takeable;
    const Takings takings(state(), engine_.now());
    for (const JobId id : running_) {
      const Job& other = *state().FindJob(id);
      if (MayGiveWay(other) && takings.MayTake(StandingOf(job(), engine_.now()), StandingOf(other, engine_.now()))) takeable.push_back(&other);
    }
    std::optional<Cost> least;
    for (uint32_t set = 1; set < 1U << takeable.size(); ++set) {
      std::vector<const Job*> gone;
      for (size_t i = 0; i < takeable.size(); ++i) {
        if ((set >> i & 1) != 0) gone.push_back(takeable[i]);
      }
      if (Fits(gone) && (!least || CostOf(gone) < *least)) least = CostOf(gone);
    }
    return least;
  }

  Cost CostOf(const std::vector<const Job*>& jobs) const {
    int highest = -1;
    int64_t gpus = 0;
    for (const Job* one : jobs) {
      highest = std::max(highest, ClassOf(one->spec->priority));
      gpus += int64_t{one->spec->nodes} * one->spec->gpus.count;
    }
    return {highest, gpus, jobs.size()};
  }
  Cost CostOf(const Victims& victims) const {
    std::vector<const Job*> jobs;
    for (const JobId id : victims.jobs) jobs.push_back(state().FindJob(id));
    return CostOf(jobs);
  }

  bool Fits(const std::vector<const Job*>& gone) const {
    return std::ranges::any_of(state().nodes, [&](Node node) {
      for (const Job* other : gone) {
        for (const LeaseId id : other->leases) {
          const Lease& lease = *state().FindLease(id);
          if (lease.node == node.id) ReleaseGrants(node, lease);
        }
      }
      return ChooseGpus(node, job()).has_value();
    });
  }

 private:
  JobId Submit(int gpus, int nodes, int priority, bool preemptible) {
    JobSpec spec;
    spec.command = {"run"};
    spec.gpus.count = gpus;
    spec.nodes = nodes;
    spec.priority = priority;
    spec.preemptible = preemptible;
    spec.cpus = 1;
    spec.memory_bytes = int64_t{1} << 30;
    return *engine_.Submit(std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000});
  }

  Rng rng_;
  Engine engine_;
  std::vector<JobId> running_;
  JobId job_;
};

TEST(Victims, AgainstEverySet) {
  const char* text = std::getenv("GP_CASES");
  const uint64_t cases = text == nullptr ? 2'000 : std::strtoull(text, nullptr, 10);
  uint64_t searched = 0;
  uint64_t found = 0;
  uint64_t least = 0;
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    const Crowd crowd(seed);
    if (crowd.FitsNow()) continue;
    ++searched;
    const auto victims = crowd.Found();
    const auto best = crowd.Least();
    ASSERT_EQ(victims.has_value(), best.has_value()) << "seed " << seed << ": one finds room, the other does not";
    if (!victims) continue;
    ++found;
    std::vector<const Job*> jobs;
    for (const JobId id : victims->jobs) jobs.push_back(crowd.state().FindJob(id));
    EXPECT_TRUE(crowd.Fits(jobs)) << "seed " << seed;
    for (size_t i = 0; i < jobs.size(); ++i) {
      std::vector<const Job*> others = jobs;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_FALSE(crowd.Fits(others)) << "seed " << seed << ": " << ToText(jobs[i]->id) << " can be spared";
    }
    least += crowd.CostOf(*victims) == *best ? 1 : 0;
  }
  std::printf("%lu searches, %lu found room, %lu of them the cheapest of all sets\n", searched, found, least);
  EXPECT_GT(found, cases / 20);
  EXPECT_EQ(least, found);
}

}  // namespace
}  // namespace gp
