// The reference policies against reference results on the same jobs, worked out by another program
// (data/traces/philly-2017/README.md).

#include <gtest/gtest.h>

#include <cstdlib>

#include "adapters/inbound/trace/job_trace.h"
#include "experiments/trace/trace_policies.h"

namespace gp {
namespace {

struct Reference {
  const char* policy;
  int nodes;
  double mean_jct_h;
  double median_jct_s;
  double within;  // of both, as a share
};

// A reservation among nodes, and what a round does with fragments, leave room for interpretation.
constexpr Reference kReferences[] = {
    {"fifo", 64, 233.8, 786'863, 0.03}, {"skip", 64, 30.9, 53'424, 0.03},
    {"easy", 64, 42.7, 0, 0.10},        {"sjf", 64, 6.88, 1'803, 0.03},
    {"las", 64, 13.0, 1'343, 0.10},     {"srtf", 64, 4.87, 1'299, 0.10},
    {"fifo", 80, 34.6, 120'558, 0.03},  {"skip", 80, 6.89, 5'046, 0.03},
    {"easy", 80, 9.37, 0, 0.10},        {"sjf", 80, 4.55, 1'635, 0.03},
    {"las", 80, 4.43, 1'306, 0.10},     {"srtf", 80, 3.91, 1'296, 0.10},
    {"fifo", 96, 4.28, 1'904, 0.03},    {"skip", 96, 3.91, 1'551, 0.03},
    {"easy", 96, 3.96, 0, 0.10},
};

TEST(TraceOracle, ReferencePoliciesComeOutAsTheReference) {
  const auto workload =
      ReadTraceWorkload(std::string(GP_SOURCE_DIR) + "/data/traces/philly-2017/philly_jobs.csv.gz");
  ASSERT_TRUE(workload.has_value()) << workload.error().message;
  ASSERT_EQ(workload->jobs.size(), 82'247u);
  for (const Reference& reference : kReferences) {
    const TraceResult result =
        FindTracePolicy(reference.policy)->replay(*workload, {reference.nodes, 8});
    std::printf(
        "%dx8 %-5s mean JCT %7.2f h  reference %7.2f  %+.1f %%  median %.0f s, %ld preemptions\n",
        reference.nodes, reference.policy, result.mean_jct_h, reference.mean_jct_h,
        (result.mean_jct_h / reference.mean_jct_h - 1) * 100, result.median_jct_s,
        static_cast<long>(result.preemptions));
    EXPECT_NEAR(result.mean_jct_h, reference.mean_jct_h, reference.mean_jct_h * reference.within)
        << reference.policy;
    if (reference.median_jct_s == 0) continue;
    EXPECT_NEAR(result.median_jct_s, reference.median_jct_s,
                reference.median_jct_s * reference.within)
        << reference.policy;
  }
}

// Ours, which knows no durations.  In full: 80 and 64 nodes, all jobs (GP_TRACE_JOBS=all).
TEST(TraceOracle, OurDefaultKeepsItsBounds) {
  auto workload =
      ReadTraceWorkload(std::string(GP_SOURCE_DIR) + "/data/traces/philly-2017/philly_jobs.csv.gz");
  ASSERT_TRUE(workload.has_value()) << workload.error().message;
  const char* jobs = std::getenv("GP_TRACE_JOBS");
  const bool all = jobs != nullptr && std::string(jobs) == "all";
  if (!all) workload->jobs.resize(8'000);
  for (const int nodes : {80, 64}) {
    const TraceResult result = FindTracePolicy("default")->replay(*workload, {nodes, 8});
    std::printf(
        "%dx8 default mean JCT %.2f h, p99 wait %.2f h, longest wait %.0f h, %.2f interruptions "
        "per job\n",
        nodes, result.mean_jct_h, result.p99_wait_h, result.max_wait_h,
        static_cast<double>(result.preemptions) / static_cast<double>(result.jobs));
    EXPECT_LE(result.preemptions * 2, result.jobs * 3);
    if (!all) {
      EXPECT_LE(result.mean_jct_h,
                FindTracePolicy("skip")->replay(*workload, {nodes, 8}).mean_jct_h);
      continue;
    }
    EXPECT_LE(result.mean_jct_h, nodes == 80 ? 4.4 : 10);
    EXPECT_LE(result.p99_wait_h, nodes == 80 ? 25 : 100);
  }
}

}  // namespace
}  // namespace gp
