// Programs crash all the time, and say nothing about the GPU by that; a GPU on which they crash far
// more often than elsewhere is found.  GP_ERRORS: how many errors in 30 days of a fleet.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "domain/cluster/nodes/faults.h"
#include "tests/property/faults/busy_fleet.h"

namespace gp {
namespace {

// Errors that a program's bug leads to, as often as they come: the two that matter first.
constexpr int kXids[] = {31, 31, 31, 31, 31, 31, 31, 13, 13,  13,
                         13, 13, 13, 43, 43, 43, 45, 69, 137, 68};
constexpr Duration kDay = Duration::Minutes(24 * 60);
constexpr GpuKey kLooping{{0}, 0};
constexpr GpuKey kFlooding{{3}, 5};
constexpr GpuKey kPlanted{{70}, 6};

int64_t ErrorsWanted() {
  const char* text = std::getenv("GP_ERRORS");
  return text == nullptr ? 20'000 : std::atoll(text);
}

int AnyXid(BusyFleet& fleet) { return kXids[fleet.rng().Below(std::size(kXids))]; }

TEST(ApplicationErrors, TakeNoHealthyGpuOut) {
  BusyFleet fleet(1);
  const int64_t errors = ErrorsWanted();
  const Duration step{30 * kDay.ns / errors};
  const Instant begin = fleet.now();
  // One program that is started again whenever it has crashed, and one that calls itself something
  // else each time.
  fleet.Reserve(kLooping, "eve", "loop");
  fleet.Reserve(kFlooding, "mallory", "run {}");
  for (int64_t i = 0; i < errors && fleet.changes().empty(); ++i) {
    fleet.AdvanceTo(fleet.now() + step);
    const uint64_t dice = fleet.rng().Below(10);
    const GpuKey gpu = dice == 0 ? kLooping : dice == 1 ? kFlooding : fleet.AnyGpu();
    fleet.Crash(gpu, dice <= 1 ? 31 : AnyXid(fleet));
  }
  EXPECT_TRUE(fleet.changes().empty())
      << fleet.changes().front() << " after " << ToText(fleet.now() - begin);
  EXPECT_TRUE(fleet.state().faults.remedies.empty());
  std::printf("%lld errors in 30 days on %d GPUs: %zu GPUs out of service\n",
              static_cast<long long>(errors), BusyFleet::kGpus, fleet.changes().size());
}

// The flood of one user on a GPU that others use too.
TEST(ApplicationErrors, OneUsersFloodIsNoSuspicion) {
  BusyFleet fleet(2);
  fleet.Reserve(kFlooding, "mallory", "run {}");
  for (int i = 0; i < 2'000; ++i) {
    fleet.AdvanceTo(fleet.now() + Duration::Seconds(30));
    if (i == 700) fleet.Reserve(kFlooding, "ana", "train");
    if (i == 702) fleet.Reserve(kFlooding, "mallory", "run {}");
    if (i == 1'300) fleet.Reserve(kFlooding, "bob", "train");
    if (i == 1'302) fleet.Reserve(kFlooding, "mallory", "run {}");
    fleet.Crash(kFlooding, i == 0 ? 43 : 31);  // whoever ran there first is not of the story
    ASSERT_TRUE(fleet.changes().empty()) << i << ": " << fleet.changes().front();
  }
}

// At the rate of a million errors in 30 days.  After a day, or a quarter of the errors, one GPU has
// 31 ten times as often as the others.
TEST(ApplicationErrors, AGpuThatIsToBlameIsFound) {
  BusyFleet fleet(3);
  const Duration step{30 * kDay.ns / 1'000'000};
  const int64_t errors = ErrorsWanted();
  const Instant begin = fleet.now() + std::min(kDay, step * (errors / 4));
  for (int64_t i = 0; i < errors && fleet.changes().empty(); ++i) {
    fleet.AdvanceTo(fleet.now() + step);
    fleet.Crash(fleet.AnyGpu(), AnyXid(fleet));
    // 35 of 100 errors are a 31: nine more for each that comes to a GPU anyway.
    if (fleet.now() > begin && fleet.rng().Below(100 * BusyFleet::kGpus) < 9 * 35)
      fleet.Crash(kPlanted, 31);
  }
  ASSERT_EQ(fleet.changes().size(), 1u) << "it is found, and no other";
  EXPECT_TRUE(fleet.changes().front().starts_with("n70/6 SUSPECT")) << fleet.changes().front();
  std::printf("a GPU with 10 times the errors of others: found after %s\n",
              ToText(fleet.now() - begin).c_str());
  EXPECT_GT(fleet.now(), begin);
  const JobId job = fleet.HolderOf(kPlanted);
  EXPECT_EQ(fleet.state().FindJob(job)->state, JobState::kRunning) << "it runs on";
  EXPECT_EQ(fleet.state().FindJob(job)->stop, StopCause::kNone);
  fleet.AdvanceTo(fleet.now() + Duration::Minutes(60));
  EXPECT_EQ(fleet.gpu(kPlanted).condition, GpuCondition::kSuspect) << "tested when it is idle";
  fleet.Finish(kPlanted);
  EXPECT_EQ(fleet.state().FindJob(job)->state, JobState::kCompleted);
  fleet.AdvanceTo(fleet.now() + Duration::Seconds(1));
  EXPECT_EQ(fleet.gpu(kPlanted).condition, GpuCondition::kTesting);
  const GpuTrouble* trouble = FindTrouble(fleet.state(), kPlanted);
  ASSERT_NE(trouble, nullptr);
  EXPECT_EQ(trouble->task, GpuTask::kTest);
}

}  // namespace
}  // namespace gp
