#include "domain/cluster/quotas/wait_targets.h"

#include <gtest/gtest.h>

#include "domain/cluster/next_deadline.h"
#include "tests/unit/domain/cluster_fixture.h"

namespace gp {
namespace {

constexpr Duration kHalf = Duration::Minutes(5);
constexpr Duration kTarget = kHalf * 2;

// One GPU, and queue "q" with a target.
class WaitTargets : public ClusterFixture {
 protected:
  WaitTargets() {
    cluster_.AddNode(TestCluster::MakeFacts("n1", {0}));
    Do(SetQueue{.name = "q", .wait_target = kTarget});
  }
  JobId SubmitTo(const std::string& queue) {
    return Submit(SpecOf(1, [&](JobSpec& spec) { spec.policy.queue = queue; }));
  }
  // The events of queues that are due after this time.
  std::string After(Duration span) {
    cluster_.Advance(span);
    std::string texts;
    for (const Event& event : Do(Tick{})) {
      if (const auto* missed = std::get_if<WaitTargetMissed>(&event))
        texts += "missed by " + ToText(missed->job) + " ";
      if (std::holds_alternative<WaitTargetMet>(event)) texts += "met ";
    }
    return texts;
  }
  // From now; nullopt: nothing is due.
  std::optional<Duration> NextVerdict() const {
    const auto next = NextWaitVerdict(cluster_.state());
    if (!next) return std::nullopt;
    return *next == Instant{1} ? Duration{} : *next - cluster_.now();
  }
  WaitCount Starts(const std::string& queue = "q") const {
    const auto record = cluster_.state().queues.waits.find(queue);
    return record == cluster_.state().queues.waits.end() ? WaitCount{} : record->second.total;
  }
};

TEST_F(WaitTargets, AStartIsInTargetIfTheWaitIsShorter) {
  const JobId first = SubmitTo("q");
  cluster_.Pass();
  EXPECT_EQ(Starts(), (WaitCount{1, 1}));
  SubmitTo("q");
  StartAll(first);
  cluster_.Advance(kTarget);
  EndAll(first);
  cluster_.Pass();
  EXPECT_EQ(Starts(), (WaitCount{2, 1})) << "the target itself is late";
}

TEST_F(WaitTargets, AMissIsToldOnceUntilAllThatWereLateHaveStarted) {
  const JobId runs = Run(SpecOf(1));
  EXPECT_EQ(NextVerdict(), std::nullopt);
  const JobId first = SubmitTo("q");
  EXPECT_EQ(NextVerdict(), kTarget);
  EXPECT_EQ(After(kHalf), "");
  const JobId second = SubmitTo("q");
  EXPECT_EQ(After(kHalf - Duration{1}), "");
  EXPECT_EQ(After(Duration{1}), "missed by " + ToText(first) + " ");
  EXPECT_EQ(CountLateJobs(cluster_.state(), "q", cluster_.now()), 1);
  EXPECT_EQ(NextVerdict(), std::nullopt);
  EXPECT_EQ(After(kTarget), "") << "the second is late too: it is the same miss";
  EXPECT_EQ(CountLateJobs(cluster_.state(), "q", cluster_.now()), 2);
  EndAll(runs);
  cluster_.Pass();
  ASSERT_EQ(JobOf(first).state, JobState::kStarting);
  EXPECT_EQ(NextVerdict(), Duration{}) << "the next miss, or none";
  EXPECT_EQ(After({}), "missed by " + ToText(second) + " ");
  Do(StopJob{second});
  EXPECT_EQ(After({}), "met ");
  EXPECT_EQ(NextVerdict(), std::nullopt);
}

TEST_F(WaitTargets, ARequeuedJobCountsOnce) {
  const JobId id = Run(SpecOf(1, [](JobSpec& spec) {
    spec.policy.queue = "q";
    spec.recovery.retry.on_failure = true;
  }));
  EndAll(id, {LeaseEnd::kExited, 1});
  ASSERT_EQ(JobOf(id).state, JobState::kRetryWait);
  EXPECT_EQ(After(kTarget * 2), "");
  EXPECT_EQ(After(kTarget * 2), "");
  ASSERT_EQ(JobOf(id).state, JobState::kQueued);
  cluster_.Pass();
  EXPECT_EQ(Starts(), (WaitCount{1, 1}));
}

TEST_F(WaitTargets, AHeldJobWaitsFromItsRelease) {
  const JobId id = SubmitTo("q");
  Do(HoldJob{id});
  EXPECT_EQ(After(kTarget * 2), "");
  Do(ReleaseJob{id});
  EXPECT_EQ(NextVerdict(), kTarget);
}

TEST_F(WaitTargets, TheShortestTargetOfTheQueueAndThoseAboveCounts) {
  Do(SetQueue{.name = "q/a", .wait_target = kTarget * 2});
  Do(SetQueue{.name = "q/b", .wait_target = kHalf});
  const QueueStore& queues = cluster_.state().queues;
  EXPECT_EQ(queues.WaitTargetOf("q/a"), kTarget);
  EXPECT_EQ(queues.WaitTargetOf("q/b"), kHalf);
  EXPECT_EQ(queues.WaitTargetOf(kDefaultQueue), Duration{});
  SubmitTo("q/b");
  cluster_.Pass();
  EXPECT_EQ(Starts("q/b").started, 1);
  Do(SetQueue{.name = "q/b", .wait_target = Duration{}});
  EXPECT_EQ(Starts("q/b").started, 1) << "that of the queue above is still in force";
  Do(SetQueue{.name = "q", .wait_target = Duration{}});
  EXPECT_EQ(Starts("q/b").started, 0);
  EXPECT_EQ(queues.WaitTargetOf("q/a"), kTarget * 2);
}

TEST_F(WaitTargets, AMissEndsWithTheTarget) {
  Run(SpecOf(1));
  SubmitTo("q");
  EXPECT_NE(After(kTarget), "");
  Do(SetQueue{.name = "q", .wait_target = Duration{}});
  EXPECT_EQ(After({}), "");
  EXPECT_EQ(NextVerdict(), std::nullopt);
}

}  // namespace
}  // namespace gp
