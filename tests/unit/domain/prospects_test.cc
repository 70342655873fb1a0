// What becomes of a dependency: met, open or impossible, of a job and of an array.

#include "domain/cluster/dependencies.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

class Prospects : public testing::Test {
 protected:
  using enum AfterKind;

  Job& AddJob(uint64_t id, JobState state, bool started = false) {
    Job& job = state_.jobs.all[{id}];
    job.id = {id};
    job.state = state;
    job.spec = std::make_shared<const JobSpec>();
    if (started) job.attempts.push_back({.number = 1, .started_at = Instant{1}});
    return job;
  }
  // 'm'et, 'o'pen or 'i'mpossible, for each kind in the order ok, ended, started, failed.
  std::string Of(uint64_t id) const {
    std::string text;
    for (const AfterKind kind : {kOk, kEnded, kStarted, kFailed}) {
      const Prospect prospect = ProspectOf(state_, Dependency{{id}, kind});
      text += prospect == Prospect::kMet ? 'm' : prospect == Prospect::kOpen ? 'o' : 'i';
    }
    return text;
  }
  static JobSpec After(std::vector<Dependency> after) {
    JobSpec spec;
    spec.policy.after = std::move(after);
    return spec;
  }
  void SetArray(Array array) { state_.jobs.arrays[{1}] = array; }

  State state_;
};

TEST_F(Prospects, OfAJobFollowFromItsState) {
  struct Case {
    JobState state;
    bool started;
    const char* prospects;  // ok, ended, started, failed
  };
  const Case cases[] = {
      {JobState::kQueued, false, "oooo"},    {JobState::kHeld, false, "oooo"},
      {JobState::kBlocked, false, "oooo"},   {JobState::kStarting, false, "oooo"},
      {JobState::kRunning, true, "oomo"},    {JobState::kQueued, true, "oomo"},
      {JobState::kRetryWait, true, "oomo"},  {JobState::kCompleted, true, "mmmi"},
      {JobState::kFailed, true, "immm"},     {JobState::kFailed, false, "imim"},
      {JobState::kTimeout, true, "immm"},    {JobState::kCancelled, true, "immi"},
      {JobState::kCancelled, false, "imii"},
  };
  for (const Case& one : cases) {
    AddJob(7, one.state) = {};
    AddJob(7, one.state, one.started);
    EXPECT_EQ(Of(7), one.prospects) << Name(one.state) << one.started;
  }
}

TEST_F(Prospects, OfAJobThatIsNotKnownAreNone) { EXPECT_EQ(Of(99), "iiii"); }

TEST_F(Prospects, OfAnArrayFollowFromItsCounts) {
  struct Case {
    Array array;
    const char* prospects;
  };
  const auto counts = [](int started, int ended, int completed, int failed, int unstarted) {
    Array array;
    array.count = 3;
    array.started = started;
    array.ended = ended;
    array.completed = completed;
    array.failed = failed;
    array.unstarted = unstarted;
    return array;
  };
  const Case cases[] = {
      {counts(0, 0, 0, 0, 0), "oooo"}, {counts(2, 0, 0, 0, 0), "oooo"},
      {counts(3, 0, 0, 0, 0), "oomo"}, {counts(3, 2, 2, 0, 0), "oomo"},
      {counts(3, 3, 3, 0, 0), "mmmi"}, {counts(2, 1, 0, 1, 0), "ioom"},
      {counts(3, 3, 2, 1, 0), "immm"}, {counts(0, 1, 0, 0, 1), "ioio"},
      {counts(2, 3, 2, 0, 1), "imii"},
  };
  int number = 0;
  for (const Case& one : cases) {
    SetArray(one.array);
    EXPECT_EQ(Of(1), one.prospects) << number++;
  }
}

TEST_F(Prospects, OfSeveralAreThatOfTheWorst) {
  AddJob(1, JobState::kCompleted, true);
  AddJob(2, JobState::kRunning, true);
  AddJob(3, JobState::kFailed, true);
  EXPECT_EQ(ProspectOf(state_, After({})), Prospect::kMet);
  EXPECT_EQ(ProspectOf(state_, After({{{1}, kOk}, {{2}, kStarted}})), Prospect::kMet);
  EXPECT_EQ(ProspectOf(state_, After({{{2}, kOk}, {{1}, kOk}})), Prospect::kOpen);
  EXPECT_EQ(ProspectOf(state_, After({{{3}, kOk}, {{2}, kOk}})), Prospect::kImpossible);
  EXPECT_EQ(ProspectOf(state_, After({{{2}, kOk}, {{3}, kOk}})), Prospect::kImpossible);
}

TEST_F(Prospects, OpenOnesAreAllTold) {
  AddJob(1, JobState::kCompleted, true);
  AddJob(2, JobState::kRunning, true);
  AddJob(3, JobState::kQueued);
  SetArray({});
  state_.jobs.arrays[{1}].count = 2;
  EXPECT_EQ(TellOpen(state_, After({})), "");
  EXPECT_EQ(TellOpen(state_, After({{{2}, kStarted}})), "") << "it is met";
  EXPECT_EQ(TellOpen(state_, After({{{2}, kOk}})), "waits for job-2 to complete");
  EXPECT_EQ(TellOpen(state_, After({{{2}, kEnded}, {{3}, kStarted}, {{3}, kFailed}, {{1}, kOk}})),
            "waits for job-2 to end, job-3 to start, job-3 to fail, job-1[*] to complete");
}

TEST_F(Prospects, OfImpossibleOnesTheFirstIsTold) {
  AddJob(1, JobState::kCompleted, true);
  AddJob(2, JobState::kFailed, true);
  AddJob(3, JobState::kCancelled);
  const auto told = [&](std::vector<Dependency> after) {
    return TellImpossible(state_, After(std::move(after)));
  };
  EXPECT_EQ(told({{{1}, kOk}}), "");
  EXPECT_EQ(told({{{1}, kFailed}}), "job-1 COMPLETED, and was to fail first");
  EXPECT_EQ(told({{{1}, kOk}, {{2}, kOk}, {{3}, kOk}}), "job-2 FAILED, and was to complete first");
  EXPECT_EQ(told({{{3}, kStarted}}), "job-3 CANCELLED, and was to start first");
  EXPECT_EQ(told({{{9}, kEnded}}), "job-9 is not known, and was to end first");
  Array array;
  array.count = 3;
  array.ended = 2;
  array.completed = 1;
  array.failed = 1;
  state_.jobs.arrays[{5}] = array;
  EXPECT_EQ(told({{{5}, kOk}}),
            "job-5[*] ended with 1 completed and 1 failed of 2, and was to complete first");
}

TEST_F(Prospects, AJobIsWaitedForByItselfOrThroughItsArray) {
  Job& first = AddJob(2, JobState::kRunning, true);
  Job& second = AddJob(3, JobState::kRunning, true);
  first.array = second.array = {1};
  state_.jobs.arrays[{1}].count = 2;
  Job& waits = AddJob(8, JobState::kBlocked);
  waits.spec = std::make_shared<const JobSpec>(After({{{1}, kOk}}));
  EXPECT_FALSE(IsWaitedFor(state_, first));
  IndexBlocked(state_, waits);
  EXPECT_TRUE(IsWaitedFor(state_, second)) << "the last element keeps the counts";
  EXPECT_FALSE(IsWaitedFor(state_, first)) << "one that is known is enough";
  UnindexBlocked(state_, waits);
  EXPECT_FALSE(IsWaitedFor(state_, second));
  waits.spec = std::make_shared<const JobSpec>(After({{{2}, kOk}}));
  IndexBlocked(state_, waits);
  EXPECT_TRUE(IsWaitedFor(state_, first));
  EXPECT_FALSE(IsWaitedFor(state_, second));
}

}  // namespace
}  // namespace gp
