// The victims of a pending job, against every set of running jobs (docs/reference/policies.md).
// GP_CASES: how many.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "domain/cluster/preemption.h"
#include "domain/cluster/quotas/quota.h"
#include "tests/property/explain/crowd.h"

namespace gp {
namespace {

uint64_t Cases(uint64_t otherwise) {
  const char* text = std::getenv("GP_CASES");
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Comparison {
  uint64_t searched = 0;
  uint64_t found = 0;
  uint64_t least = 0;
};

// Without any one of them there is no room, neither there nor anywhere else.
void ExpectNobodySpared(const Crowd& crowd, const std::vector<const Job*>& victims, uint64_t seed) {
  EXPECT_TRUE(crowd.Fits(victims)) << "seed " << seed;
  for (size_t i = 0; i < victims.size(); ++i) {
    std::vector<const Job*> others = victims;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(crowd.Fits(others))
        << "seed " << seed << ": " << ToText(victims[i]->id) << " can be spared";
  }
}

// A pass tells them, and nobody else, to leave; when they have, the job starts.  Nobody leaves for
// a job that its limits stop.
void ExpectStarts(const Crowd& crowd, const Victims& victims, uint64_t seed) {
  if (FindQuotaStop(crowd.state(), crowd.job(), crowd.engine().now())) return;
  Engine engine = crowd.engine();
  engine.Pass();
  std::vector<JobId> told;
  for (const auto& [id, job] : engine.state().jobs.all) {
    if (IsBeingPreempted(job)) told.push_back(id);
  }
  EXPECT_EQ(told, victims.jobs) << "seed " << seed;
  for (const JobId victim : told) engine.Stop(victim);
  engine.Pass();
  EXPECT_TRUE(HoldsLeases(engine.state().FindJob(crowd.job().id)->state)) << "seed " << seed;
}

Comparison Compare(const char* name, uint64_t cases, const CrowdKind& kind) {
  Comparison score;
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    const Crowd crowd(seed, kind);
    if (crowd.FitsNow()) continue;
    ++score.searched;
    const auto victims = crowd.Found();
    const auto best = crowd.Least();
    EXPECT_EQ(victims.has_value(), best.has_value())
        << "seed " << seed << ": one finds room, the other does not";
    if (!victims || !best) continue;
    ++score.found;
    const std::vector<const Job*> jobs = crowd.JobsOf(*victims);
    ExpectNobodySpared(crowd, jobs, seed);
    ExpectStarts(crowd, *victims, seed);
    score.least += crowd.CostOf(jobs) == *best ? 1 : 0;
  }
  std::printf("%s: %lu searches, %lu found room, %lu of them the cheapest of all sets\n", name,
              score.searched, score.found, score.least);
  EXPECT_GT(score.found, cases / 20);
  return score;
}

TEST(Victims, AgainstEverySet) {
  const Comparison score = Compare("one node", Cases(2'000), {});
  EXPECT_EQ(score.least, score.found);
}

TEST(Victims, OfGangsAgainstEverySet) {
  const Comparison score = Compare("gangs, up to 3 nodes", Cases(2'000), {2, 3, true, false});
  EXPECT_EQ(score.least, score.found);
}

TEST(Victims, OfGangsWhereQueuesHaveGuarantees) {
  const Comparison score = Compare("gangs, guarantees", Cases(2'000), {2, 3, true, true});
  EXPECT_EQ(score.least, score.found);
}

TEST(Victims, OfGangsOnMoreNodes) {
  const Comparison score = Compare("gangs, 5 to 8 nodes", Cases(2'000) / 4, {5, 8, true, false});
  EXPECT_GE(score.least * 100, score.found * 99);
}

// More nodes than are combined: the cheapest is not looked for there, but nobody goes in vain.
TEST(Victims, OfGangsOnManyNodes) {
  uint64_t found = 0;
  for (uint64_t seed = 1; seed <= Cases(2'000) / 8; ++seed) {
    const Crowd crowd(seed, {9, 14, true, false, 60, 12});
    if (crowd.FitsNow()) continue;
    const auto victims = crowd.Found();
    EXPECT_EQ(victims.has_value(), crowd.AnySet()) << "seed " << seed;
    if (!victims) continue;
    ++found;
    ExpectNobodySpared(crowd, crowd.JobsOf(*victims), seed);
    ExpectStarts(crowd, *victims, seed);
  }
  EXPECT_GT(found, Cases(2'000) / 40);
}

}  // namespace
}  // namespace gp
