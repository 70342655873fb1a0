#include "supervisor/status_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/records/attempt_record.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

class StatusFileTest : public ::testing::Test {
 protected:
  // All files of the directory.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.path()))
      names.push_back(entry.path().filename());
    return names;
  }

  const Scratch scratch_;
  const Descriptor directory_{open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  StatusFile file_;
};

TEST_F(StatusFileTest, AppearsUnderItsNameOnlyWhenItIsComplete) {
  ASSERT_TRUE(file_.Reserve(directory_.get()).has_value());
  EXPECT_FALSE(scratch_.Has(kStatusFile));
  ASSERT_TRUE(file_.Publish(directory_.get(), "the status").has_value());
  EXPECT_EQ(scratch_.Read(kStatusFile), "the status");
  EXPECT_EQ(Names(), std::vector<std::string>{kStatusFile});
}

TEST_F(StatusFileTest, AlsoAppearsWithoutReservedSpace) {
  ASSERT_TRUE(file_.Publish(directory_.get(), "the status").has_value());
  EXPECT_EQ(scratch_.Read(kStatusFile), "the status");
  EXPECT_EQ(Names(), std::vector<std::string>{kStatusFile});
}

TEST_F(StatusFileTest, OnlyItsOwnerReadsIt) {
  struct stat facts = {};
  ASSERT_TRUE(file_.Reserve(directory_.get()).has_value());
  ASSERT_TRUE(file_.Publish(directory_.get(), "x").has_value());
  ASSERT_EQ(stat(scratch_.In(kStatusFile).c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600u);
}

TEST_F(StatusFileTest, WhatASupervisorThatDiedReservedIsUsedAgain) {
  scratch_.Write("status.reserved", std::string(100'000, 'x'));
  ASSERT_TRUE(file_.Reserve(directory_.get()).has_value());
  ASSERT_TRUE(file_.Publish(directory_.get(), "short").has_value());
  EXPECT_EQ(scratch_.Read(kStatusFile), "short");
}

// The largest status of a job that ran: with all checkpoints that are kept, each with a path at the
// limit of a report and a reason of 512 bytes, and messages of its end.
TEST_F(StatusFileTest, TheReservedSpaceHoldsTheLargestStatus) {
  AttemptStatus status;
  status.key = std::string(64, 'k');
  status.message = std::string(8'192, 'm');
  status.progress.refused = std::string(512, 'r');
  for (size_t i = 0; i < kCheckpointReportsMax; ++i) {
    status.progress.checkpoints.push_back({.number = INT64_MAX,
                                           .step = INT64_MAX,
                                           .path = std::string(1'024, 'p'),
                                           .bytes = INT64_MAX,
                                           .took = Duration{INT64_MAX},
                                           .fault = std::string(512, 'f'),
                                           .at = Instant{INT64_MAX},
                                           .is_scored = true,
                                           .score = INT64_MIN});
  }
  ASSERT_TRUE(file_.Reserve(directory_.get()).has_value());
  struct stat facts = {};
  ASSERT_EQ(stat(scratch_.In("status.reserved").c_str(), &facts), 0);
  EXPECT_GE(facts.st_blocks * 512, static_cast<int64_t>(EncodeStatus(status).size()));
}

TEST_F(StatusFileTest, ADirectoryThatIsGoneIsAnError) {
  std::filesystem::remove_all(scratch_.path());
  EXPECT_EQ(file_.Reserve(directory_.get()).error().message,
            "cannot create the status file: No such file or directory");
  EXPECT_FALSE(file_.Publish(directory_.get(), "x").has_value());
}

}  // namespace
}  // namespace gp
