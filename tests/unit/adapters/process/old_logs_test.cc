#include "adapters/outbound/process/old_logs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "adapters/outbound/memory/manual_clock.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

constexpr Duration kMinute = Duration::Minutes(1);
constexpr Duration kKeep = Duration::Minutes(60);

bool IsNobodyHere(JobId) { return false; }

class OldLogsTest : public testing::Test {
 protected:
  void SetUp() override {
    char path[] = "/tmp/gp-logs-XXXXXX";
    directory_ = mkdtemp(path);
    Begin();
  }
  void TearDown() override { fs::remove_all(directory_); }

  // Another process, of the same node.
  void Begin() {
    logs_.reset();
    logs_.emplace(directory_ + "/logs", directory_ + "/ages", clock_);
  }
  // How many were removed at the look that comes `after` the previous one.
  int Look(Duration after) {
    clock_.Advance(after);
    return logs_->Remove(kKeep, IsNobodyHere);
  }

  std::string Path(const std::string& name) const { return directory_ + "/logs/" + name; }
  void Touch(const std::string& name, int64_t at_s) {
    const timespec times[2] = {{at_s, 0}, {at_s, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, Path(name).c_str(), times, AT_SYMLINK_NOFOLLOW), 0);
  }
  // A job whose attempt wrote last at this second, as the wall clock said.
  void Add(const std::string& job, int64_t at_s) {
    fs::create_directories(Path(job) + "/1");
    std::ofstream(Path(job) + "/1/0.out") << "text";
    for (const char* below : {"/1/0.out", "/1", ""}) Touch(job + below, at_s);
  }
  bool IsThere(const std::string& name) const { return fs::exists(Path(name)); }

  std::string directory_;
  ManualClock clock_;
  std::optional<OldLogs> logs_;
};

TEST_F(OldLogsTest, WhatIsOldGoesAndWhatIsHereStays) {
  EXPECT_EQ(Look({}), 0) << "there is no directory yet";
  for (const char* name : {"job-0001", "job-0002", "job-0003", "mps"}) Add(name, 100);
  const auto is_here = [](JobId job) { return job == JobId{2}; };
  EXPECT_EQ(logs_->Remove(kKeep, is_here), 0);
  clock_.Advance(kKeep - kMinute);
  Touch("job-0003/1/0.out", 200);  // an attempt that was written to lately
  EXPECT_EQ(logs_->Remove(kKeep, is_here), 0);
  clock_.Advance(kMinute);
  EXPECT_EQ(logs_->Remove(kKeep, is_here), 1);
  EXPECT_FALSE(IsThere("job-0001"));
  for (const char* name : {"job-0002", "job-0003", "mps"}) EXPECT_TRUE(IsThere(name)) << name;
  EXPECT_EQ(Look({}), 1) << "that one has gone meanwhile";
  EXPECT_FALSE(IsThere("job-0002"));
}

TEST_F(OldLogsTest, NothingGoesBeforeItsTimeWhateverTheWallClockSays) {
  Add("job-0001", 100);
  Add("job-0002", 4'000'000'000);
  EXPECT_EQ(Look({}), 0);
  for (const int64_t hours : {2, -20, 9'000, -8'000}) {
    clock_.StepWall(kKeep * hours);
    EXPECT_EQ(Look(kMinute * 14), 0) << hours;
  }
  EXPECT_EQ(Look(kMinute * 4), 2);
}

// Whatever time the file has then: the wall clock was perhaps a year behind when it was written.
TEST_F(OldLogsTest, WhateverIsWrittenCountsFromTheStart) {
  Add("job-0001", 1'000);
  Look({});
  Touch("job-0001/1/0.out", 500);
  EXPECT_EQ(Look(kKeep), 0);
  std::ofstream(Path("job-0001/1/0.out"), std::ios::app) << "more";
  Touch("job-0001/1/0.out", 500);  // in the same instant
  EXPECT_EQ(Look(kKeep), 0);
  std::ofstream(Path("job-0001/1/0.err"));
  for (const char* name : {"job-0001/1/0.err", "job-0001/1"}) Touch(name, 1'000);
  EXPECT_EQ(Look(kKeep), 0);
  EXPECT_EQ(Look(kKeep), 1);
}

TEST_F(OldLogsTest, ARestartOnTheSameBootCountsOn) {
  Add("job-0001", 100);
  Look({});
  Look(kMinute * 20);
  clock_.StepWall(kKeep * 48);
  clock_.Advance(kMinute * 30);  // nobody looks
  Begin();
  EXPECT_EQ(Look(kMinute * 9), 0);
  EXPECT_EQ(Look(kMinute), 1);
}

// How long the machine was off only the wall clock could tell.
TEST_F(OldLogsTest, ARebootCountsOnFromTheLastLook) {
  for (const int64_t hours : {-100, 0, 100}) {
    Add("job-0001", 100);
    Look({});
    Look(kMinute * 20);
    clock_.Reboot("boot" + std::to_string(hours), kKeep * hours);
    clock_.Advance(kKeep * 2);  // it is up for long before the agent is
    Begin();
    EXPECT_EQ(Look(kMinute * 39), 0) << hours;
    EXPECT_EQ(Look(kMinute), 1) << hours;
  }
}

TEST_F(OldLogsTest, WithoutASoundRecordAllCountsFromNow) {
  Add("job-0001", 100);
  Look({});
  Look(kMinute * 30);
  const auto size = static_cast<int64_t>(fs::file_size(directory_ + "/ages"));
  for (const int64_t left : {size - 4, size - 6, size / 2, int64_t{3}, int64_t{0}}) {
    fs::resize_file(directory_ + "/ages", static_cast<uintmax_t>(left));
    Begin();
    EXPECT_EQ(Look(kMinute * 40), 0) << left;
    EXPECT_EQ(Look(kMinute * 10), 0) << left;
  }
  std::ofstream(directory_ + "/ages") << "boot-1 1 x\njob-0001 zz y\nend\n";
  Begin();
  EXPECT_EQ(Look({}), 0);
  fs::remove(directory_ + "/ages");
  Begin();
  EXPECT_EQ(Look({}), 0);
  EXPECT_EQ(Look(kKeep), 1);
}

TEST_F(OldLogsTest, LinksAreNotFollowed) {
  Add("job-0001", 100);
  fs::create_directories(directory_ + "/elsewhere");
  std::ofstream(directory_ + "/elsewhere/kept") << "x";
  fs::create_directory_symlink(directory_ + "/elsewhere", Path("job-0001/link"));
  Look({});
  std::ofstream(directory_ + "/elsewhere/new") << "x";  // is nothing of the job's
  EXPECT_EQ(Look(kKeep), 1);
  EXPECT_TRUE(fs::exists(directory_ + "/elsewhere/kept"));
}

}  // namespace
}  // namespace gp
