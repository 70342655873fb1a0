#include "domain/explaining/lengths.h"

#include <gtest/gtest.h>

#include <set>

#include "domain/explaining/guesses.h"

namespace gp {
namespace {

PastRun Took(const std::string& user, const std::string& name, int gpus, int minutes,
             const std::string& queue = "default") {
  JobSpec spec;
  spec.name = name;
  spec.resources.gpus.count = gpus;
  return {std::make_shared<const JobSpec>(spec), user, queue, "default",
          Duration::Minutes(minutes)};
}

Job Like(const PastRun& run) {
  Job job;
  job.spec = run.spec;
  job.user.name = run.user;
  job.queue = run.queue;
  return job;
}

Duration Shortest(const Lengths& lengths, const PastRun& run) {
  return lengths.Alike(Like(run))->runs.front().first;
}

TEST(Lengths, TheNearestGroupThatHasEnoughTells) {
  std::vector<PastRun> past;
  for (int i = 0; i < 5; ++i) {
    past.push_back(Took("ana", "train", 8, 100 + i));
    past.push_back(Took("ana", "", 4, 50 + i));
    past.push_back(Took("ben", "", 2, 10 + i, "research"));
  }
  const Lengths lengths(past);
  EXPECT_EQ(Shortest(lengths, Took("ana", "train", 1, 0)), Duration::Minutes(100))
      << "by user and name";
  EXPECT_EQ(Shortest(lengths, Took("ana", "other", 4, 0)), Duration::Minutes(50))
      << "by user and shape";
  EXPECT_EQ(lengths.Alike(Like(Took("ana", "other", 1, 0)))->runs.size(), 10u) << "by user";
  EXPECT_EQ(Shortest(lengths, Took("cem", "", 1, 0, "research")), Duration::Minutes(10))
      << "by queue";
  EXPECT_EQ(lengths.Alike(Like(Took("cem", "", 1, 0, "elsewhere")))->runs.size(), 15u) << "all";
}

TEST(Lengths, AFewDoNotTell) {
  std::vector<PastRun> past(kAlikeEnough - 1, Took("ana", "train", 8, 100));
  EXPECT_EQ(Lengths(past).Alike(Like(past[0])), nullptr);
  past.push_back(past[0]);
  EXPECT_NE(Lengths(past).Alike(Like(past[0])), nullptr);
}

AlikeRuns OfMinutes(const std::vector<int>& minutes) {
  AlikeRuns alike;
  for (const int one : minutes) alike.runs.push_back({Duration::Minutes(one), alike.runs.size()});
  return alike;
}

TEST(Lengths, OfThoseThatTookLongerThanWhatIsDone) {
  const AlikeRuns alike = OfMinutes({10, 20, 30, 40});
  EXPECT_EQ(GuessWork(alike, {}, 0), Duration::Minutes(10));
  EXPECT_EQ(GuessWork(alike, {}, kSlices / 2), Duration::Minutes(30));
  EXPECT_EQ(GuessWork(alike, {}, kSlices - 1), Duration::Minutes(40));
  EXPECT_EQ(GuessWork(alike, Duration::Minutes(20), 0), Duration::Minutes(30))
      << "not as long as is done already";
}

// The middle of the last slice would leave out those that take longest, and everybody would start
// too early.
TEST(Lengths, ASliceOfManyIsTheirMean) {
  std::vector<int> minutes(2 * kSlices, 10);
  minutes.back() = 1'000;
  const AlikeRuns alike = OfMinutes(minutes);
  EXPECT_EQ(GuessWork(alike, {}, 0), Duration::Minutes(10));
  EXPECT_EQ(GuessWork(alike, {}, kSlices - 1), Duration::Minutes(505));
}

TEST(Lengths, WhereNoneTookLongerItIsExpectedToTakeAsLongAgain) {
  const AlikeRuns alike = OfMinutes({10});
  EXPECT_EQ(GuessWork(alike, Duration::Minutes(33), kSlices / 2), Duration::Minutes(66));
  Duration last;
  for (int slice = 0; slice < kSlices; ++slice) {
    const Duration guess = GuessWork(alike, Duration::Minutes(33), slice);
    EXPECT_GT(guess, std::max(last, Duration::Minutes(33)));
    last = guess;
  }
}

TEST(Guesses, OverAllPlaysAJobGetsEachSliceOnce) {
  for (uint64_t job = 1; job <= 300; ++job) {
    std::set<int> slices;
    for (int play = 0; play < kSlices; ++play) slices.insert(SliceOf({job}, play));
    EXPECT_EQ(slices.size(), static_cast<size_t>(kSlices)) << job;
  }
}

// Were neighbours long together, everybody's intervals would be too wide.
TEST(Guesses, NeighboursAreSeldomInTheSameSlice) {
  int same = 0;
  for (uint64_t job = 1; job < 300; ++job) {
    for (int play = 0; play < kSlices; ++play)
      same += SliceOf({job}, play) == SliceOf({job + 1}, play) ? 1 : 0;
  }
  EXPECT_LT(same, 300 * kSlices / 8);
}

}  // namespace
}  // namespace gp
