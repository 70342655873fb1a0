#include "domain/model/checkpoint.h"

#include <gtest/gtest.h>

#include "domain/model/job.h"

namespace gp {
namespace {

Checkpoint Saved(int attempt, int64_t number, bool is_complete) {
  Checkpoint checkpoint;
  checkpoint.attempt = attempt;
  checkpoint.number = number;
  checkpoint.is_complete = is_complete;
  return checkpoint;
}

TEST(Checkpoint, TheNewestCompleteOneIsWhereAJobGoesOn) {
  EXPECT_EQ(NewestComplete({}), nullptr);
  const std::vector<Checkpoint> all = {Saved(1, 1, true), Saved(1, 2, true), Saved(1, 3, false)};
  EXPECT_EQ(NewestComplete(all), &all[1]);
  EXPECT_EQ(NewestComplete({Saved(1, 1, false)}), nullptr);
}

TEST(Checkpoint, TheBestIntervalFollowsYoung) {
  // sqrt(2 · 60 s · 50 days) = 22,768.4 s on one node; a hundredth of the time between faults: a tenth.
  EXPECT_EQ(BestInterval(Duration::Seconds(60), 1, Duration::Minutes(50 * 24 * 60)), Duration::Milliseconds(22'768'399));
  EXPECT_EQ(BestInterval(Duration::Seconds(60), 100, Duration::Minutes(50 * 24 * 60)), Duration::Milliseconds(2'276'839));
  EXPECT_GT(BestInterval(Duration{1}, 4096, Duration::Minutes(1)).ns, 0);
}

TEST(Checkpoint, WorkIsKeptUntilTheNewestCompleteOneOfThisAttempt) {
  Job job;
  job.attempts = {{}};
  job.attempts.back().placed_at = Instant{100};
  EXPECT_EQ(WorkKeptUntil(job), Instant{100});
  job.checkpoints = {Saved(1, 1, true), Saved(1, 2, false)};
  job.checkpoints[0].at = Instant{50};  // of an earlier attempt
  job.checkpoints[1].at = Instant{300};
  EXPECT_EQ(WorkKeptUntil(job), Instant{100});
  job.checkpoints[0].at = Instant{200};
  EXPECT_EQ(WorkKeptUntil(job), Instant{200});
}

}  // namespace
}  // namespace gp
