// Logs past their limit: byte N of the stream stays byte N of the file.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/runner_harness.h"
#include "tests/support/wait_until.h"

namespace gp {
namespace {

class LogTest : public ::testing::Test {
 protected:
  NoIsolation isolation_;
  RunnerHarness host_{isolation_};
};

std::string Numbers(int last) {
  std::string text;
  for (int i = 1; i <= last; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST_F(LogTest, TheOldestBecomesAHole) {
  constexpr int64_t kMax = 128 << 10;
  LaunchSpec spec = host_.Shell("holes", "seq 1 200000; printf last");
  spec.log_bytes_max = kMax;
  EXPECT_EQ(host_.Run(spec).exit_code, 0);
  const std::string expected = Numbers(200'000) + "last";
  const std::string log = host_.Output("holes");
  ASSERT_EQ(log.size(), expected.size());

  const int fd = open(host_.LogPath("holes", ".out").c_str(), O_RDONLY);
  struct stat facts;
  fstat(fd, &facts);
  EXPECT_LE(facts.st_blocks * 512, kMax + 4096);
  const off_t first = lseek(fd, 0, SEEK_DATA);
  close(fd);
  EXPECT_GT(first, 0);
  EXPECT_GE(static_cast<int64_t>(log.size()) - first, kMax / 2);
  EXPECT_TRUE(log.substr(first) == expected.substr(first));
}

TEST_F(LogTest, WithoutALimitNothingIsDropped) {
  EXPECT_EQ(host_.Run(host_.Shell("all", "seq 1 200000")).exit_code, 0);
  EXPECT_TRUE(host_.Output("all") == Numbers(200'000));
}

TEST_F(LogTest, AnExistingLogIsContinued) {
  std::filesystem::create_directories(host_.directory() + "/logs/again");
  std::ofstream(host_.LogPath("again", ".out")) << "before\n";
  host_.Run(host_.Shell("again", "echo after"));
  EXPECT_EQ(host_.Output("again"), "before\nafter\n");
}

TEST_F(LogTest, BelongsToTheUserAlone) {
  host_.Run(host_.Shell("private", "echo secret"));
  struct stat facts;
  ASSERT_EQ(stat(host_.LogPath("private", ".out").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  EXPECT_EQ(facts.st_uid, geteuid());
}

TEST_F(LogTest, ALinkInItsPlaceIsNotFollowed) {
  std::filesystem::create_directories(host_.directory() + "/logs/link");
  const std::string secret = host_.directory() + "/secret";
  std::ofstream(secret) << "untouched";
  std::filesystem::create_symlink(secret, host_.LogPath("link", ".out"));
  EXPECT_EQ(host_.Run(host_.Shell("link", "echo overwritten")).cause, EndCause::kPlatformFault);
  std::ifstream file(secret);
  EXPECT_EQ(std::string((std::istreambuf_iterator<char>(file)), {}), "untouched");
}

TEST_F(LogTest, AFullStateDiskDoesNotLoseTheExitCode) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to mount a small file system";
  host_.runner.reset();
  const std::string place = host_.state() + "/attempts";
  ASSERT_EQ(std::system(("mount -t tmpfs -o size=128k none " + place).c_str()), 0);
  host_.Open();
  host_.Start(host_.Shell("full", "head -c 1m /dev/zero > /tmp/filler; sleep 0.2; exit 5"));
  host_.runner.reset();  // it must come from the disk
  EXPECT_TRUE(WaitUntil([&] { return access((place + "/full/status").c_str(), F_OK) == 0; }));
  host_.Open();
  const AttemptStatus status = host_.AwaitEnd("full");
  EXPECT_EQ(status.exit_code, 5);
  EXPECT_EQ(status.cause, EndCause::kExit);
  EXPECT_NE(host_.Errors("full").find("No space left"), std::string::npos);
  EXPECT_TRUE(host_.runner->Forget("full").has_value());
  host_.AwaitNothingLeft();
  host_.runner.reset();
  ASSERT_EQ(std::system(("umount -l " + place).c_str()), 0);
}

TEST_F(LogTest, AFullDiskLosesLinesAndNotTheJob) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to mount a small file system";
  const std::string place = host_.directory() + "/logs/full";
  std::filesystem::create_directories(place);
  const std::string mount = "mount -t tmpfs -o size=64k none " + place;
  ASSERT_EQ(std::system(mount.c_str()), 0);
  const AttemptStatus status = host_.Run(host_.Shell("full", "seq 1 100000; exit 5"));
  EXPECT_EQ(status.exit_code, 5);
  EXPECT_EQ(status.cause, EndCause::kExit);
  EXPECT_NE(status.message.find("were lost: No space left on device"), std::string::npos)
      << status.message;
  ASSERT_EQ(std::system(("umount -l " + place).c_str()), 0);
}

}  // namespace
}  // namespace gp
