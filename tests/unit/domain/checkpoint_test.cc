#include "domain/model/jobs/checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "domain/model/jobs/job.h"

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
  const std::vector<Checkpoint> attempts = {Saved(1, 1, true), Saved(2, 1, false),
                                            Saved(3, 1, true)};
  EXPECT_EQ(NewestBefore(1, attempts), nullptr);
  EXPECT_EQ(NewestBefore(3, attempts), attempts.data());
  EXPECT_EQ(NewestBefore(4, attempts), &attempts[2]);
}

TEST(Checkpoint, EachCopyHasANameOfItsOwnAndOldOnesAreTold) {
  Checkpoint one = Saved(3, 12, true);
  one.rank = 2;
  EXPECT_EQ(CopyName(one), "attempt-3.rank-2.12");
  const std::vector<std::string> staying = {"attempt-3.rank-0.2", "attempt-3.rank-0.9"};
  for (const char* old : {"attempt-3.rank-0.1", "attempt-3.rank-0.8", "attempt-2.rank-0.30"})
    EXPECT_TRUE(IsReplacedCopy(old, staying)) << old;
  for (const char* other :
       {"attempt-3.rank-0.2", "attempt-3.rank-0.9", "attempt-3.rank-0.10", "attempt-4.rank-0.1",
        "attempt-3.rank-1.1", "attempt-3.rank-0.1x", "attempt-3.rank-0.", "notes.txt", ""})
    EXPECT_FALSE(IsReplacedCopy(other, staying)) << other;
  EXPECT_FALSE(IsReplacedCopy("attempt-1.rank-0.1", {}));
}

// A job's registry, as reports come.
struct Registry {
  const CheckpointRequest request;
  std::vector<Checkpoint> checkpoints = {};
  std::vector<SurplusCheckpoint> surplus = {};
  int64_t number = 0;
  int attempt = 1;
  bool is_beginning = false;

  void Add(const std::string& path, bool is_complete = true,
           std::optional<int64_t> score = std::nullopt) {
    Checkpoint one = Saved(attempt, ++number, is_complete);
    one.path = path;
    one.is_scored = score.has_value();
    one.score = score.value_or(0);
    AddCheckpoint(request, one, is_beginning, checkpoints, surplus);
  }
  std::vector<std::string> Known() const {
    std::vector<std::string> paths;
    for (const Checkpoint& one : checkpoints) paths.push_back(one.path);
    return paths;
  }
  std::vector<std::string> Surplus() const {
    std::vector<std::string> paths;
    for (const SurplusCheckpoint& one : surplus) paths.push_back(one.path);
    return paths;
  }
};
using Paths = std::vector<std::string>;

TEST(KeptCheckpoints, AreTheNewestThatAreComplete) {
  Registry job{{.directory = "/c", .keep = 2}};
  job.Add("/c/1");
  job.Add("/c/2");
  EXPECT_EQ(job.Surplus(), Paths{});
  job.Add("/c/3", false);
  EXPECT_EQ(job.Surplus(), Paths{}) << "one that is not complete makes no other superfluous";
  job.Add("/c/4");
  EXPECT_EQ(job.Surplus(), (Paths{"/c/1"}));
  EXPECT_EQ(job.Known(), (Paths{"/c/2", "/c/3", "/c/4"}));
  EXPECT_EQ(job.surplus[0].rank, 0);
}

TEST(KeptCheckpoints, WhereAnAttemptGoesOnStaysUntilAllItsRanksHaveBegun) {
  Registry job{{.directory = "/c", .keep = 1}};
  job.Add("/c/1");
  job.attempt = 2;
  job.is_beginning = true;
  for (int i = 2; i < 40; ++i) job.Add("/c/" + std::to_string(i), i % 2 == 0);
  EXPECT_EQ(job.Known().front(), "/c/1");
  EXPECT_EQ(job.Surplus().front(), "/c/2");
  job.is_beginning = false;
  job.Add("/c/40");
  EXPECT_EQ(job.Surplus().back(), "/c/38");
  EXPECT_EQ(std::ranges::count(job.Surplus(), "/c/1"), 1);
}

TEST(KeptCheckpoints, WithTheBestOneAmongThem) {
  Registry least{{.directory = "/c", .keep = 1, .best = BestScore::kMin}};
  for (const auto& [path, score] :
       {std::pair{"/c/1", 5}, {"/c/2", 3}, {"/c/3", 4}, {"/c/4", 3}, {"/c/5", 9}})
    least.Add(path, true, score);
  EXPECT_EQ(least.Known(), (Paths{"/c/4", "/c/5"})) << "of equal ones the newer";
  EXPECT_EQ(least.Surplus(), (Paths{"/c/1", "/c/2", "/c/3"}));
  Registry greatest{{.directory = "/c", .keep = 1, .best = BestScore::kMax}};
  for (const auto& [path, score] : {std::pair{"/c/1", 5}, {"/c/2", 3}, {"/c/3", -4}})
    greatest.Add(path, true, score);
  greatest.Add("/c/4");
  EXPECT_EQ(greatest.Known(), (Paths{"/c/1", "/c/4"})) << "one without a score is not the best";
}

TEST(KeptCheckpoints, AllOfThemWhereNothingIsSaid) {
  Registry job{{.directory = "/c"}};
  for (int i = 0; i < 40; ++i) job.Add("/c/" + std::to_string(i));
  EXPECT_EQ(job.Surplus(), Paths{});
  EXPECT_EQ(job.checkpoints.size(), kCheckpointsMax);
}

TEST(KeptCheckpoints, StayHoweverManyCameAfterThemThatAreNotComplete) {
  Registry job{{.directory = "/c", .keep = 15, .best = BestScore::kMin}};
  job.Add("/c/best", true, 1);
  for (int i = 0; i < 15; ++i) job.Add("/c/" + std::to_string(i), true, 2);
  for (int i = 0; i < 40; ++i) job.Add("/c/none", false);
  EXPECT_EQ(job.checkpoints.size(), kCheckpointsMax);
  EXPECT_EQ(job.Known().front(), "/c/best");
  EXPECT_EQ(std::ranges::count(job.Known(), "/c/14"), 1);
}

TEST(KeptCheckpoints, AllThatMustStayFindRoom) {
  Registry job{{.directory = "/c", .keep = 15, .best = BestScore::kMin}};
  job.Add("/c/best", true, 1);
  job.Add("/c/resumed", true, 2);
  job.attempt = 2;
  job.is_beginning = true;
  for (int i = 0; i < 15; ++i) job.Add("/c/" + std::to_string(i), true, 2);
  for (int i = 0; i < 40; ++i) job.Add("/c/none", false);
  EXPECT_EQ(job.checkpoints.size(), kCheckpointsMax);
  EXPECT_EQ(NewestBefore(2, job.checkpoints)->path, "/c/resumed");
  EXPECT_EQ(job.Known().front(), "/c/best");
  EXPECT_EQ(job.Known().back(), "/c/14");
}

TEST(KeptCheckpoints, WhatLiesInTheSamePlaceIsNotRemoved) {
  Registry job{{.directory = "/c", .keep = 1}};
  job.Add("/c/latest");
  job.Add("/c//latest/");
  EXPECT_EQ(job.Surplus(), Paths{}) << "written over";
  job.Add("/c/all/2");
  EXPECT_EQ(job.Surplus(), (Paths{"/c//latest/"}));
  job.Add("/c/all");
  EXPECT_EQ(job.Surplus(), (Paths{"/c//latest/"})) << "/c/all/2 is inside of what stays";
  job.Add("/c/latest/3");
  EXPECT_EQ(job.Surplus(), (Paths{"/c/all"}))
      << "what is written there now is not surplus any more";
  job.Add("/c/x/../all");
  EXPECT_EQ(job.Surplus(), Paths{}) << "nobody can tell where that is";
}

// What is not there any more is neither the best nor one of the newest.
TEST(KeptCheckpoints, AreThoseThatWereNotWrittenOver) {
  Registry best{{.directory = "/c", .keep = 1, .best = BestScore::kMin}};
  for (const auto& [path, score] :
       {std::pair{"/c/last", 1}, {"/c/5", 2}, {"/c/last", 9}, {"/c/6", 8}})
    best.Add(path, true, score);
  EXPECT_EQ(best.Known(), (Paths{"/c/5", "/c/6"}));
  EXPECT_EQ(best.Surplus(), (Paths{"/c/last"}));
  Registry newest{{.directory = "/c", .keep = 3}};
  for (const char* path : {"/c/last", "/c/1", "/c/last", "/c/2", "/c/last", "/c/3", "/c/last"})
    newest.Add(path);
  EXPECT_EQ(newest.Known(), (Paths{"/c/2", "/c/3", "/c/last"}));
  Registry early{{.directory = "/c", .keep = 1}};
  early.Add("/c/1", false);
  early.Add("/c/1");
  early.Add("/c/2");
  EXPECT_EQ(early.Surplus(), (Paths{"/c/1"})) << "reported too early, then once more";
}

TEST(KeptCheckpoints, NothingIsRemovedOutsideOfTheJobsDirectory) {
  Registry job{{.directory = "/c", .keep = 1}};
  for (const char* path : {"/etc", "/c", "/c/", "/c/../etc", "/c/./x", "/cc/1", "/c/last"})
    job.Add(path);
  EXPECT_EQ(job.Surplus(), Paths{});
}

TEST(KeptCheckpoints, OnlyTheNewestOfThoseToBeRemovedAreRemembered) {
  Registry job{{.directory = "/c", .keep = 1}};
  for (int i = 0; i < 100; ++i) job.Add("/c/" + std::to_string(i));
  EXPECT_EQ(job.surplus.size(), kSurplusMax);
  EXPECT_EQ(job.Surplus().back(), "/c/98");
}

TEST(Checkpoint, TheBestIntervalFollowsYoung) {
  // sqrt(2 · 60 s · 50 days) = 22,768.4 s on one node; a hundredth of the time between faults: a
  // tenth.
  EXPECT_EQ(BestInterval(Duration::Seconds(60), 1, Duration::Minutes(50 * 24 * 60)),
            Duration::Milliseconds(22'768'399));
  EXPECT_EQ(BestInterval(Duration::Seconds(60), 100, Duration::Minutes(50 * 24 * 60)),
            Duration::Milliseconds(2'276'839));
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
