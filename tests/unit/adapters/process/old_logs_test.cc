#include "adapters/outbound/process/old_logs.h"

#include <gtest/gtest.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace gp {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSecond = 1'000'000'000;

class OldLogsTest : public testing::Test {
 protected:
  void SetUp() override {
    char path[] = "/tmp/gp-logs-XXXXXX";
    directory_ = mkdtemp(path);
  }
  void TearDown() override { fs::remove_all(directory_); }

  void Touch(const std::string& path, int64_t at) {
    const timespec times[2] = {{at, 0}, {at, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (directory_ + "/" + path).c_str(), times, 0), 0);
  }
  // A job whose attempt wrote last at this second.
  void Add(const std::string& job, int64_t at) {
    fs::create_directories(directory_ + "/" + job + "/1");
    std::ofstream(directory_ + "/" + job + "/1/0.out") << "text";
    for (const char* below : {"/1/0.out", "/1", ""}) Touch(job + below, at);
  }
  bool IsThere(const std::string& name) const { return fs::exists(directory_ + "/" + name); }

  std::string directory_;
};

TEST_F(OldLogsTest, WhatIsOldGoesAndWhatIsHereStays) {
  Add("job-0001", 100);
  Add("job-0002", 100);
  Add("job-0003", 300);
  Add("job-0004", 100);
  Touch("job-0004/1/0.out", 300);  // an attempt that was written to lately
  Add("mps", 100);
  const auto is_here = [](JobId job) { return job == JobId{2}; };
  EXPECT_EQ(RemoveOldLogs(directory_, Instant{200 * kSecond}, is_here), 1);
  EXPECT_FALSE(IsThere("job-0001"));
  for (const char* name : {"job-0002", "job-0003", "job-0004", "mps"}) EXPECT_TRUE(IsThere(name)) << name;
  EXPECT_EQ(RemoveOldLogs(directory_ + "/none", Instant{200 * kSecond}, is_here), 0);
}

TEST_F(OldLogsTest, LinksAreNotFollowed) {
  Add("job-0001", 100);
  fs::create_directories(directory_ + "/elsewhere");
  std::ofstream(directory_ + "/elsewhere/kept") << "x";
  fs::create_directory_symlink(directory_ + "/elsewhere", directory_ + "/job-0001/link");
  const timespec old[2] = {{100, 0}, {100, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, (directory_ + "/job-0001/link").c_str(), old, AT_SYMLINK_NOFOLLOW), 0);
  Touch("job-0001", 100);
  EXPECT_EQ(RemoveOldLogs(directory_, Instant{200 * kSecond}, [](JobId) { return false; }), 1);
  EXPECT_TRUE(IsThere("elsewhere/kept"));
}

}  // namespace
}  // namespace gp
