#include "application/agent/copying_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/outbound/memory/manual_clock.h"
#include "tests/unit/application/agent/played_data.h"
#include "tests/unit/application/agent/played_runner.h"

namespace gp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char kKey[] = "lease-1";
constexpr char kUrl[] = "s3://ckpt/4/attempt-1.rank-0.";

class Copying : public testing::Test {
 protected:
  Copying() {
    LaunchSpec spec;
    spec.key = kKey;
    spec.uid = 1000;
    spec.copies = spec.copies_checkpoints = true;
    EXPECT_TRUE(runner_.Start(spec));
    inner_.attempts[kKey].started_at = {1};
  }
  void Orders(std::vector<ArtifactCopy> artifacts = {}) {
    runner_.SetCopies(kKey, {.checkpoint_url = kUrl,
                             .checkpoint_directory = "/c",
                             .credentials = "secret",
                             .staying = {"attempt-1.rank-0.1"},
                             .artifacts = std::move(artifacts)});
  }
  void Saves(int64_t number, bool is_complete = true) {
    inner_.attempts[kKey].progress.checkpoints.push_back(
        {.number = number, .path = "/c/" + std::to_string(number), .is_complete = is_complete});
  }
  AttemptStatus Seen() { return runner_.Observe().at(0); }
  std::vector<int64_t> Numbers() {
    std::vector<int64_t> numbers;
    for (const CheckpointReport& one : Seen().progress.checkpoints) numbers.push_back(one.number);
    return numbers;
  }

  PlayedRunner inner_;
  PlayedData data_;
  ManualClock clock_;
  CopyingRunner runner_{data_, inner_, clock_};
};

TEST_F(Copying, ACheckpointCountsOnceItIsCopied) {
  Orders();
  Saves(1);
  EXPECT_THAT(Numbers(), ElementsAre());
  ASSERT_EQ(data_.copies.size(), 1u);
  EXPECT_EQ(data_.copies[0].path, "/c/1");
  EXPECT_EQ(data_.copies[0].url, "s3://ckpt/4/attempt-1.rank-0.1");
  EXPECT_EQ(data_.copies[0].credentials, "secret");
  EXPECT_EQ(data_.copies[0].uid, 1000u);
  EXPECT_EQ(data_.copies[0].staying, std::vector<std::string>{"attempt-1.rank-0.1"});
  data_.copied[data_.copies[0].url] = Ok();
  EXPECT_THAT(Numbers(), ElementsAre(1));
  EXPECT_TRUE(Seen().progress.checkpoints[0].is_complete);
}

TEST_F(Copying, TheNewestIsCopiedFirstAndAllAreReportedInOrder) {
  Orders();
  Saves(1, false);
  Saves(2);
  Saves(3);
  EXPECT_THAT(Numbers(), ElementsAre(1)) << "nobody resumes from one that is not complete";
  ASSERT_EQ(data_.copies.size(), 1u);
  EXPECT_EQ(data_.copies[0].path, "/c/3");
  data_.copied[std::string(kUrl) + "3"] = Ok();
  const auto reports = Seen().progress.checkpoints;
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_THAT(reports[1].fault, HasSubstr("there was a newer one"));
  EXPECT_FALSE(reports[1].is_complete);
  EXPECT_TRUE(reports[2].is_complete);
  EXPECT_EQ(data_.copies.size(), 1u);
}

TEST_F(Copying, IfTheNewestCannotBeCopiedTheOneBeforeIs) {
  Orders();
  Saves(1);
  Saves(2);
  Seen();
  data_.copied[std::string(kUrl) + "2"] = Fail(Unavailable("it changed"));
  EXPECT_THAT(Numbers(), ElementsAre());
  data_.copied[std::string(kUrl) + "1"] = Ok();
  EXPECT_THAT(Numbers(), ElementsAre(1, 2));
}

// The supervisor tells only the newest reports.
TEST_F(Copying, OneThatIsCopiedSlowlyCountsThoughItsReportIsGone) {
  Orders();
  Saves(1);
  Seen();
  inner_.attempts[kKey].progress.checkpoints.clear();
  for (int64_t number = 2; number < 10; ++number) Saves(number);
  EXPECT_THAT(Numbers(), ElementsAre());
  data_.copied[std::string(kUrl) + "1"] = Ok();
  EXPECT_THAT(Numbers(), ElementsAre(1));
  EXPECT_EQ(data_.copies.back().path, "/c/9");
}

TEST_F(Copying, OnlyWhatIsInTheCheckpointDirectoryIsCopied) {
  Orders();
  inner_.attempts[kKey].progress.checkpoints = {
      {.number = 1, .path = "/tmp/of-somebody", .is_complete = true}};
  EXPECT_EQ(Seen().progress.checkpoints.at(0).fault, "not copied: it is not in checkpoint.dir");
  EXPECT_TRUE(data_.copies.empty());
}

TEST_F(Copying, AnAttemptThatLostItsLeaseCopiesNoArtifacts) {
  Orders({{"/out", "s3://out/4", ""}});
  inner_.End(kKey, EndCause::kLeaseLost, 0);
  EXPECT_EQ(Seen().phase, AttemptPhase::kExited) << "another attempt may copy to the same place";
  EXPECT_TRUE(data_.copies.empty());
}

TEST_F(Copying, OneThatCannotBeCopiedIsNotComplete) {
  Orders();
  Saves(1);
  Seen();
  data_.copied[std::string(kUrl) + "1"] = Fail(Unavailable("403 from the store"));
  const CheckpointReport report = Seen().progress.checkpoints.at(0);
  EXPECT_FALSE(report.is_complete);
  EXPECT_EQ(report.fault, "not copied: 403 from the store");
}

// Their files may be gone: the controller has removed what is no longer needed.
TEST_F(Copying, WhatIsReportedAlreadyIsNotCopiedAfterARestart) {
  Saves(1);
  Saves(2);
  runner_.SetCopies(kKey, {.checkpoint_url = kUrl, .checkpoint_directory = "/c", .decided = 1});
  EXPECT_THAT(Numbers(), ElementsAre(1));
  ASSERT_EQ(data_.copies.size(), 1u);
  EXPECT_EQ(data_.copies[0].path, "/c/2");
}

// An order may tell so while it is being copied again.
TEST_F(Copying, WhatBecomesRecordedIsNotAwaited) {
  Orders();
  Saves(1);
  EXPECT_THAT(Numbers(), ElementsAre());
  runner_.SetCopies(kKey, {.checkpoint_url = kUrl, .checkpoint_directory = "/c", .decided = 1});
  EXPECT_THAT(Numbers(), ElementsAre(1));
  Saves(2);
  EXPECT_THAT(Numbers(), ElementsAre(1));
  EXPECT_EQ(data_.copies.back().path, "/c/2");
}

TEST_F(Copying, WithoutOrdersNothingIsReported) {
  Saves(1);
  EXPECT_THAT(Numbers(), ElementsAre());
  EXPECT_TRUE(data_.copies.empty());
}

TEST_F(Copying, AnAttemptHasEndedOnceItsLastCheckpointAndItsArtifactsAreCopied) {
  Orders({{"/out", "s3://out/4", "secret"}});
  inner_.End(kKey, EndCause::kExit, 0);
  Saves(1);
  data_.progress = {"s3://ckpt/4", 1, 2};
  EXPECT_EQ(Seen().phase, AttemptPhase::kRunning);
  EXPECT_EQ(Seen().staging.what, "s3://ckpt/4");
  data_.copied[std::string(kUrl) + "1"] = Ok();
  EXPECT_EQ(Seen().phase, AttemptPhase::kRunning);
  EXPECT_EQ(data_.copies.back().path, "/out");
  data_.copied["s3://out/4"] = Ok();
  EXPECT_EQ(Seen().phase, AttemptPhase::kExited);
  EXPECT_EQ(Seen().message, "");
}

TEST_F(Copying, AnArtifactThatIsNotCopiedIsSaid) {
  Orders({{"/out", "s3://out/4", ""}});
  inner_.End(kKey, EndCause::kExit, 0);
  Seen();
  data_.copied["s3://out/4"] = Fail(InvalidArgument("/out is not there"));
  EXPECT_EQ(Seen().phase, AttemptPhase::kExited);
  EXPECT_THAT(Seen().message, HasSubstr("/out is not copied: /out is not there"));
}

TEST_F(Copying, WhatNeverRanLeavesNothing) {
  Orders({{"/out", "s3://out/4", ""}});
  inner_.attempts[kKey].started_at = {};
  inner_.End(kKey, EndCause::kCouldNotStart, 0);
  EXPECT_EQ(Seen().phase, AttemptPhase::kExited);
  EXPECT_TRUE(data_.copies.empty());
}

TEST_F(Copying, TheEndWaitsForCopiesOnlySoLong) {
  Orders();
  Saves(1);
  inner_.End(kKey, EndCause::kStopped, 0);
  EXPECT_EQ(Seen().phase, AttemptPhase::kRunning);
  clock_.Advance(CopyingRunner::kCopyMax - Duration::Seconds(1));
  EXPECT_EQ(Seen().phase, AttemptPhase::kRunning);
  clock_.Advance(Duration::Seconds(1));
  const AttemptStatus ended = Seen();
  EXPECT_EQ(ended.phase, AttemptPhase::kExited);
  EXPECT_FALSE(ended.progress.checkpoints.at(0).is_complete);
}

TEST_F(Copying, AKillWaitsForNoCopy) {
  Orders();
  Saves(1);
  inner_.End(kKey, EndCause::kStopped, 0);
  runner_.Stop(kKey, Duration::Seconds(30));
  EXPECT_EQ(Seen().phase, AttemptPhase::kRunning);
  runner_.Stop(kKey, {});
  EXPECT_EQ(Seen().phase, AttemptPhase::kExited);
}

TEST_F(Copying, WhatCopiesNothingPassesThrough) {
  LaunchSpec spec;
  spec.key = "lease-2";
  ASSERT_TRUE(runner_.Start(spec));
  inner_.attempts["lease-2"].progress.checkpoints = {{.number = 1, .is_complete = true}};
  inner_.End("lease-2", EndCause::kExit, 0);
  const auto all = runner_.Observe();
  EXPECT_EQ(all.at(1).phase, AttemptPhase::kExited);
  EXPECT_EQ(all.at(1).progress.checkpoints.size(), 1u);
  ASSERT_TRUE(runner_.Forget("lease-2"));
  EXPECT_EQ(data_.TakeCalls(), "");
}

}  // namespace
}  // namespace gp
