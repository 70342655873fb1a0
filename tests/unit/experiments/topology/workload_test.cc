#include "experiments/topology/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/unit/experiments/topology/test_machine.h"

namespace gp {
namespace {

TEST(TopologyWorkload, AsksForTheLoadThatIsNamed) {
  const TopologyDemand demand{.nodes = 4, .jobs = 3'000, .load_percent = 87, .seed = 7};
  const TopologyWorkload workload = InventJobs(*FourGpus().facts, demand);
  ASSERT_EQ(workload.jobs.size(), 3'000u);
  int64_t asked = 0;
  for (const TopologyJob& job : workload.jobs) asked += job.duration_s * job.gpus();
  EXPECT_NEAR(static_cast<double>(asked) / static_cast<double>(workload.span_s * 4 * 4), 0.87,
              0.001);
}

TEST(TopologyWorkload, HasEverySizeAndGangsOfTwo) {
  const TopologyWorkload workload = InventJobs(*FourGpus().facts, {.jobs = 1'000});
  std::set<std::pair<int, int>> sizes;
  for (const TopologyJob& job : workload.jobs) {
    sizes.insert({job.spec->resources.nodes, job.spec->resources.gpus.count});
    EXPECT_GE(job.spec->resources.cpus, 1);
    EXPECT_LE(job.spec->resources.cpus, 32);
    EXPECT_GE(job.duration_s, 120);
    EXPECT_LT(job.duration_s, 7'680);
  }
  EXPECT_EQ(sizes, (std::set<std::pair<int, int>>{{1, 1}, {1, 2}, {1, 4}, {2, 2}, {2, 4}}));
  EXPECT_TRUE(std::ranges::is_sorted(workload.jobs, {}, &TopologyJob::submit_s));
  EXPECT_LT(workload.jobs.back().submit_s, workload.span_s);
}

TEST(TopologyWorkload, TheSeedDecidesAll) {
  const auto digest = [](uint64_t seed) {
    std::vector<std::pair<int64_t, int64_t>> jobs;
    for (const TopologyJob& job : InventJobs(*FourGpus().facts, {.jobs = 50, .seed = seed}).jobs)
      jobs.emplace_back(job.submit_s, job.duration_s);
    return jobs;
  };
  EXPECT_EQ(digest(1), digest(1));
  EXPECT_NE(digest(1), digest(2));
}

}  // namespace
}  // namespace gp
