// Each policy on workloads small enough to work out by hand.

#include <gtest/gtest.h>

#include "experiments/trace/trace_policies.h"

namespace gp {
namespace {

TraceResult Replay(const char* policy, const std::vector<TraceJob>& jobs,
                   TraceCluster cluster = {1, 4}) {
  return FindTracePolicy(policy)->replay({jobs}, cluster);
}

constexpr double kHour = 3600;

// One GPU is taken for 100 s; a gang of 4 comes, then a short and a long job of 1.
const std::vector<TraceJob> kBlocked{{0, 100, 1}, {1, 10, 4}, {2, 50, 1}, {3, 500, 1}};

TEST(QueueReplay, FifoLetsNobodyPassTheHead) {
  // Ends: 100, 110, 160, 610.
  EXPECT_DOUBLE_EQ(Replay("fifo", kBlocked).mean_jct_h, (100 + 109 + 158 + 607) / 4.0 / kHour);
}

TEST(QueueReplay, SkipLetsThemAllPass) {
  // Ends: 100, 513 (after the long one), 52, 503.
  EXPECT_DOUBLE_EQ(Replay("skip", kBlocked).mean_jct_h, (100 + 512 + 50 + 500) / 4.0 / kHour);
}

TEST(QueueReplay, EasyLetsOnlyThosePassWhoDoNotDelayTheHead) {
  // The short one passes, the long one waits: ends 100, 110, 52, 610.
  EXPECT_DOUBLE_EQ(Replay("easy", kBlocked).mean_jct_h, (100 + 109 + 50 + 607) / 4.0 / kHour);
}

TEST(QueueReplay, EasyLetsLongOnesPassBesideTheReservation) {
  // The head will take node 0 of two; the long job fits on node 1 for good.
  const std::vector<TraceJob> jobs{{0, 100, 4}, {0, 1'000, 3}, {1, 10, 4}, {2, 500, 1}};
  EXPECT_DOUBLE_EQ(Replay("easy", jobs, {2, 4}).max_wait_h, 99 / kHour);
}

TEST(QueueReplay, SjfTakesTheShortestFirst) {
  const std::vector<TraceJob> jobs{{0, 100, 4}, {1, 50, 4}, {2, 10, 4}};
  // Ends: 100, 160, 110.
  EXPECT_DOUBLE_EQ(Replay("sjf", jobs).mean_jct_h, (100 + 159 + 108) / 3.0 / kHour);
}

TEST(RoundReplay, LasInterruptsWhoHasHadMuchForWhoHasHadNothing) {
  // An hour on 4 GPUs is past the first level; the newcomer starts at the next round, 3,900 s.
  const std::vector<TraceJob> jobs{{0, 7'200, 4}, {3'601, 100, 4}};
  const TraceResult result = Replay("las", jobs);
  EXPECT_EQ(result.preemptions, 1);
  // Back at 4,200 s with 3,300 s and the cost of resuming left.
  EXPECT_DOUBLE_EQ(result.mean_jct_h, ((4'200 + 3'300 + 60) + (4'000 - 3'601)) / 2.0 / kHour);
}

TEST(RoundReplay, SrtfFinishesWhoHasLeastLeft) {
  const std::vector<TraceJob> jobs{{0, 1'000, 4}, {100, 100, 4}};
  const TraceResult result = Replay("srtf", jobs);
  EXPECT_EQ(result.preemptions, 1);
  EXPECT_DOUBLE_EQ(result.mean_jct_h, ((600 + 700 + 60) + (400 - 100)) / 2.0 / kHour);
}

TEST(Trace, SummarizesWhatCameOut) {
  const TraceResult result = Summarize({{{0, 10, 2}, {10, 20, 4}}}, {1, 4}, {10, 40}, 3);
  EXPECT_EQ(result.jobs, 2);
  EXPECT_EQ(result.preemptions, 3);
  EXPECT_DOUBLE_EQ(result.max_wait_h, 10 / kHour);
  EXPECT_DOUBLE_EQ(result.utilization, 100.0 / 160.0);
}

TEST(Trace, NoJobsAreNoTrouble) { EXPECT_EQ(Replay("skip", {}).jobs, 0); }

}  // namespace
}  // namespace gp
