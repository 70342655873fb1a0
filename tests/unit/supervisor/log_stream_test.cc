#include "supervisor/output/log_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/scratch.h"

namespace gp {
namespace {

class LogStreamTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto stream = LogStream::Open(scratch_.In("0.out"), 0, geteuid());
    ASSERT_TRUE(stream.has_value());
    stream_ = std::move(*stream);
  }
  void Say(const std::string& text) {
    ASSERT_EQ(write(stream_.writable(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }

  const Scratch scratch_;
  LogStream stream_;
};

TEST_F(LogStreamTest, WhatTheJobSaysIsInTheFileAfterDrain) {
  Say("one\n");
  EXPECT_EQ(scratch_.Read("0.out"), "");
  stream_.Drain();
  EXPECT_EQ(scratch_.Read("0.out"), "one\n");
  stream_.Drain();  // nothing is there, and it does not wait
  Say("two\n");
  stream_.Drain();
  EXPECT_EQ(scratch_.Read("0.out"), "one\ntwo\n");
  EXPECT_EQ(stream_.Loss(), "");
}

TEST_F(LogStreamTest, OneDrainCopiesOneBuffer) {
  ASSERT_GE(fcntl(stream_.writable(), F_SETPIPE_SZ, 256 << 10), 256 << 10);
  Say(std::string(200'000, 'x'));
  stream_.Drain();
  EXPECT_EQ(scratch_.Read("0.out").size(), size_t{64} << 10);
  stream_.Finish();
  EXPECT_EQ(scratch_.Read("0.out").size(), 200'000u);
}

TEST_F(LogStreamTest, FinishWaitsForNoWriter) {
  Say("last");
  stream_.Finish();  // this process holds the writing end
  EXPECT_EQ(scratch_.Read("0.out"), "last");
  stream_.Finish();
  EXPECT_EQ(scratch_.Read("0.out"), "last");
}

TEST_F(LogStreamTest, TheJobsEndBlocksAndIsNotInherited) {
  EXPECT_EQ(fcntl(stream_.writable(), F_GETFL) & O_NONBLOCK, 0)
      << "a program that does not know of it would lose output";
  EXPECT_NE(fcntl(stream_.readable(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_NE(fcntl(stream_.writable(), F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(fcntl(stream_.readable(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(LogStreamTest, SaysHowMuchWasLostAndWhy) {
  Say("one");
  stream_.Drain();
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit = before;
  limit.rlim_cur = 5;  // as on a full disk: what fits is kept
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  Say("two four");
  stream_.Drain();
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(scratch_.Read("0.out"), "onetw");
  EXPECT_EQ(stream_.Loss(), "6 bytes of " + scratch_.In("0.out") + " were lost: File too large");
  Say("end");
  stream_.Drain();
  EXPECT_EQ(scratch_.Read("0.out"), "onetwend") << "once there is room it goes on";
}

TEST(LogStream, WithoutAFileThereIsNoStream) {
  EXPECT_FALSE(LogStream::Open("/nowhere/0.out", 0, geteuid()).has_value());
  LogStream none;
  none.Finish();
  EXPECT_EQ(none.Loss(), "");
}

}  // namespace
}  // namespace gp
