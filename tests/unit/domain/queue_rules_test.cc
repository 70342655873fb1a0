#include "domain/cluster/quotas/queue_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

constexpr const char* kLine[] = {"a", "a/b", "a/b/c"};

// Three queues below each other, in hours; 0: not set.
State WithTimes(const std::array<int, 3>& defaults, const std::array<int, 3>& longest) {
  State state;
  for (size_t i = 0; i < 3; ++i) {
    Queue queue{.name = kLine[i]};
    queue.default_time = Duration::Minutes(60 * defaults[i]);
    queue.max_time = Duration::Minutes(60 * longest[i]);
    state.queues.all[queue.name] = queue;
  }
  return state;
}

TEST(QueueRules, TheLeastMaximumOfTheQueueAndThoseAboveCounts) {
  const State state = WithTimes({}, {8, 0, 12});
  EXPECT_EQ(MaxTimeOf(state, "a").time, Duration::Minutes(480));
  EXPECT_EQ(MaxTimeOf(state, "a/b/c").time, Duration::Minutes(480));
  EXPECT_EQ(MaxTimeOf(state, "a/b/c").queue, "a");
  EXPECT_EQ(MaxTimeOf(WithTimes({}, {8, 0, 2}), "a/b/c").queue, "a/b/c");
  EXPECT_EQ(MaxTimeOf(WithTimes({}, {}), "a/b/c").time, Duration{});
}

TEST(QueueRules, TheNearestDefaultCounts) {
  const State state = WithTimes({1, 0, 3}, {});
  EXPECT_EQ(DefaultTimeOf(state, "a/b").time, Duration::Minutes(60));
  EXPECT_EQ(DefaultTimeOf(state, "a/b").queue, "a");
  EXPECT_EQ(DefaultTimeOf(state, "a/b/c").time, Duration::Minutes(180));
}

TEST(QueueRules, ALongerTimeIsRefusedWithTheQueueThatSaysSo) {
  const State state = WithTimes({}, {8, 0, 0});
  EXPECT_TRUE(CheckMaxTime(state, "a/b/c", Duration::Minutes(480)));
  const Status refused = CheckMaxTime(state, "a/b/c", Duration::Minutes(480) + Duration{1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), InvalidArgument("time_limit: jobs of queue a may run for 8h at most"));
  EXPECT_TRUE(CheckMaxTime(WithTimes({}, {}), "a", kForever));
}

TEST(QueueRules, TheLargestMinimumOfTheQueueAndThoseAboveCounts) {
  State state = WithTimes({}, {});
  state.queues.all.at("a").min_gpus = 2;
  state.queues.all.at("a/b/c").min_gpus = 1;
  EXPECT_EQ(MinGpusOf(state, "a/b/c").gpus, 2);
  EXPECT_EQ(MinGpusOf(state, "a/b/c").queue, "a");
  EXPECT_TRUE(CheckMinGpus(state, "a/b/c", 2 * kWholeShare));
  const Status refused = CheckMinGpus(state, "a/b/c", 2 * kWholeShare - 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), InvalidArgument("gpus: a job of queue a uses at least 2 GPUs"));
  state.queues.all.at("a/b").min_gpus = 1;
  EXPECT_EQ(MinGpusOf(state, "a/b").gpus, 2);
  EXPECT_TRUE(CheckMinGpus(WithTimes({}, {}), "a", 0));
}

TEST(QueueRules, AQueueWithoutNetworkLeavesThoseBelowItNone) {
  State state = WithTimes({}, {});
  JobSpec gang;
  gang.resources.nodes = 2;
  EXPECT_EQ(QueueWithoutNetwork(state, "a/b/c"), "");
  EXPECT_TRUE(CheckNetwork(state, "a/b/c", gang));
  state.queues.all.at("a/b").network = NetworkAccess::kNone;
  EXPECT_EQ(QueueWithoutNetwork(state, "a/b/c"), "a/b");
  EXPECT_EQ(QueueWithoutNetwork(state, "a"), "");
  EXPECT_TRUE(CheckNetwork(state, "a/b/c", JobSpec{}));
  const Status refused = CheckNetwork(state, "a/b/c", gang);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), InvalidArgument("network: jobs of queue a/b have no network, so "
                                             "they must run on one node"));
  gang.resources.nodes = 1;
  gang.resources.any_of = {{.nodes = 2}};
  EXPECT_FALSE(CheckNetwork(state, "a/b", gang));
}

// With every choice of unset, one and two hours for each of the six.
TEST(QueueRules, ADefaultIsAlwaysOneThatTheQueueAllows) {
  for (int code = 0; code < 729; ++code) {
    std::array<int, 3> defaults{};
    std::array<int, 3> longest{};
    for (int i = 0, rest = code; i < 6; ++i, rest /= 3)
      (i < 3 ? defaults : longest)[static_cast<size_t>(i % 3)] = rest % 3;
    const State state = WithTimes(defaults, longest);
    for (const char* queue : kLine) {
      const QueueTime most = MaxTimeOf(state, queue);
      const QueueTime otherwise = DefaultTimeOf(state, queue);
      if (most.time.ns != 0) {
        EXPECT_NE(otherwise.time.ns, 0) << code << ": no job of it runs without an end";
        EXPECT_LE(otherwise.time, most.time) << code;
        EXPECT_EQ(state.queues.all.at(most.queue).max_time, most.time) << code;
      }
      EXPECT_TRUE(CheckMaxTime(state, queue, otherwise.time)) << code;
      if (otherwise.time.ns == 0) continue;
      const Queue& source = state.queues.all.at(otherwise.queue);
      EXPECT_TRUE(source.default_time == otherwise.time || source.max_time == otherwise.time)
          << code;
    }
  }
}

}  // namespace
}  // namespace gp
