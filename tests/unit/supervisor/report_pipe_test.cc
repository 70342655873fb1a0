#include "supervisor/output/report_pipe.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/records/report_line.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

using Lines = std::vector<std::string>;

class ReportPipeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto pipe = ReportPipe::Make(path_, geteuid(), getegid());
    ASSERT_TRUE(pipe.has_value()) << pipe.error().message;
    pipe_ = std::move(*pipe);
  }
  // As a job does: each write opens the pipe.
  void Say(const std::string& text) const {
    const Descriptor writer(open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
    ASSERT_EQ(write(writer.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  const Scratch scratch_;
  const std::string path_ = scratch_.In("a/b/reports");
  ReportPipe pipe_;
};

TEST_F(ReportPipeTest, GivesCompleteLines) {
  EXPECT_EQ(pipe_.TakeLines(), Lines{});
  Say("one\ntwo\n");
  EXPECT_EQ(pipe_.TakeLines(), (Lines{"one", "two"}));
  EXPECT_EQ(pipe_.TakeLines(), Lines{});
}

TEST_F(ReportPipeTest, ALineMayComeInPieces) {
  Say("pro");
  EXPECT_EQ(pipe_.TakeLines(), Lines{});
  Say("gress step=1\nprogress");
  EXPECT_EQ(pipe_.TakeLines(), Lines{"progress step=1"});
  Say(" step=2\n");
  EXPECT_EQ(pipe_.TakeLines(), Lines{"progress step=2"});
}

TEST_F(ReportPipeTest, EmptyLinesAreNoReports) {
  Say("\n\n\none\n\n");
  EXPECT_EQ(pipe_.TakeLines(), Lines{"one"});
}

TEST_F(ReportPipeTest, ALineAtTheLimitIsWholeAndALongerOneIsCut) {
  Say(std::string(kReportLineMax, 'x') + "\n");
  EXPECT_EQ(pipe_.TakeLines(), Lines{std::string(kReportLineMax, 'x')});
  Say(std::string(3 * kReportLineMax, 'y') + "\nnext\n");
  const Lines lines = pipe_.TakeLines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_LE(lines[0].size(), kReportLineMax + 1);
  EXPECT_EQ(lines[1], "next") << "the rest of the long line is no line";
}

TEST_F(ReportPipeTest, TakesAtMost64KiBAtOnceAndLosesNothing) {
  const std::string line = "progress step=7\n";
  for (int i = 0; i < 4'096; ++i) Say(line);  // all that the pipe holds
  size_t taken = pipe_.TakeLines().size();
  Say(line);
  taken += pipe_.TakeLines().size();
  EXPECT_EQ(taken, 4'097u);
}

TEST_F(ReportPipeTest, WritersComeAndGoAndNeverWaitForAReader) {
  Say("one\n");
  Say("two\n");
  EXPECT_EQ(pipe_.TakeLines(), (Lines{"one", "two"}));
  EXPECT_NE(fcntl(pipe_.readable(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(ReportPipeTest, OnlyItsUserWritesAndOthersPassThroughItsDirectories) {
  struct stat facts = {};
  ASSERT_EQ(stat(path_.c_str(), &facts), 0);
  EXPECT_TRUE(S_ISFIFO(facts.st_mode));
  EXPECT_EQ(facts.st_mode & 07777, 0600u);
  const mode_t mask = umask(0077);
  const auto other = ReportPipe::Make(scratch_.In("c/d/reports"), geteuid(), getegid());
  umask(mask);
  ASSERT_TRUE(other.has_value());
  for (const char* name : {"c", "c/d"}) {
    ASSERT_EQ(stat(scratch_.In(name).c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777, 0711u) << name;
  }
}

TEST_F(ReportPipeTest, BelongsToTheJobsUser) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root gives files to others";
  ASSERT_TRUE(ReportPipe::Make(path_, 1234, 2345).has_value());
  struct stat facts = {};
  ASSERT_EQ(stat(path_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, 1234u);
  EXPECT_EQ(facts.st_gid, 2345u);
}

TEST_F(ReportPipeTest, WhatStandsInItsPlaceIsReplacedAndNotFollowed) {
  const std::string secret = scratch_.Write("secret", "secret");
  std::filesystem::create_symlink(secret, scratch_.In("link"));
  ASSERT_TRUE(ReportPipe::Make(scratch_.In("link"), geteuid(), getegid()).has_value());
  EXPECT_EQ(std::filesystem::symlink_status(scratch_.In("link")).type(),
            std::filesystem::file_type::fifo);
  EXPECT_EQ(scratch_.Read("secret"), "secret");
}

TEST_F(ReportPipeTest, AnExistingDirectoryKeepsItsMode) {
  std::filesystem::create_directory(scratch_.In("mine"));
  ASSERT_EQ(chmod(scratch_.In("mine").c_str(), 0700), 0);
  ASSERT_TRUE(ReportPipe::Make(scratch_.In("mine/reports"), geteuid(), getegid()).has_value());
  struct stat facts = {};
  ASSERT_EQ(stat(scratch_.In("mine").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0700u);
}

TEST_F(ReportPipeTest, ADirectoryInItsPlaceIsAnErrorWithThePath) {
  std::filesystem::create_directory(scratch_.In("taken"));
  const auto pipe = ReportPipe::Make(scratch_.In("taken"), geteuid(), getegid());
  ASSERT_FALSE(pipe.has_value());
  EXPECT_EQ(pipe.error().message,
            "cannot make the pipe for reports " + scratch_.In("taken") + ": File exists");
}

}  // namespace
}  // namespace gp
