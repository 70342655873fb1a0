#include "supervisor/output/log_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "tests/support/scratch.h"

namespace gp {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kBlock = 4'096;

class LogFileTest : public ::testing::Test {
 protected:
  LogFile Open(int64_t bytes_max) {
    auto log = LogFile::Open(scratch_.In("0.out"), bytes_max, geteuid());
    EXPECT_TRUE(log.has_value());
    return log.has_value() ? std::move(*log) : LogFile();
  }
  // Offset of the first byte that is left.
  off_t FirstByte() const {
    const Descriptor file(open(scratch_.In("0.out").c_str(), O_RDONLY | O_CLOEXEC));
    return lseek(file.get(), 0, SEEK_DATA);
  }
  static void Append(LogFile& log, const std::string& text) {
    log.Append(text.data(), text.size());
  }
  // A block whose bytes say which one it is.
  static std::string Block(int number) {
    return std::string(kBlock, static_cast<char>('a' + number % 26));
  }

  const Scratch scratch_;
};

TEST_F(LogFileTest, KeepsWhatIsAppendedInOrder) {
  LogFile log = Open(0);
  Append(log, "one ");
  Append(log, "");
  Append(log, std::string("two\0", 4));
  EXPECT_EQ(scratch_.Read("0.out"), std::string("one two\0", 8));
  EXPECT_EQ(log.bytes_lost(), 0);
}

TEST_F(LogFileTest, ContinuesAtTheEndOfAnExistingFile) {
  scratch_.Write("0.out", "before\n");
  LogFile log = Open(0);
  Append(log, "after\n");
  EXPECT_EQ(scratch_.Read("0.out"), "before\nafter\n");
}

TEST_F(LogFileTest, AtTheLimitNothingIsDropped) {
  LogFile log = Open(8 * kBlock);
  for (int i = 0; i < 8; ++i) Append(log, Block(i));
  EXPECT_EQ(FirstByte(), 0);
}

TEST_F(LogFileTest, OneByteBeyondTheLimitDropsTheOldestHalf) {
  LogFile log = Open(8 * kBlock);
  for (int i = 0; i < 8; ++i) Append(log, Block(i));
  Append(log, "x");
  EXPECT_EQ(FirstByte(), 4 * kBlock);
  const std::string text = scratch_.Read("0.out");
  ASSERT_EQ(text.size(), size_t{8 * kBlock + 1}) << "byte N stays byte N";
  EXPECT_TRUE(text.substr(4 * kBlock) == Block(4) + Block(5) + Block(6) + Block(7) + "x");
  EXPECT_TRUE(text.substr(0, 4 * kBlock) == std::string(4 * kBlock, '\0'));
}

TEST_F(LogFileTest, NeverKeepsMoreThanTheLimitNorLessThanHalf) {
  for (const int64_t limit : {int64_t{1}, kBlock, 3 * kBlock + 7, 16 * kBlock}) {
    std::filesystem::remove(scratch_.In("0.out"));
    LogFile log = Open(limit);
    std::string all;
    for (int i = 0; i < 60; ++i) {
      const std::string piece = Block(i).substr(0, static_cast<size_t>(1 + i * 997 % kBlock));
      Append(log, piece);
      all += piece;
      const int64_t size = static_cast<int64_t>(all.size());
      const int64_t kept = size - FirstByte();
      // Only whole blocks are freed.
      EXPECT_LE(kept, limit + kBlock) << limit << " " << i;
      EXPECT_GE(kept, std::min(size, limit / 2)) << limit << " " << i;
    }
    const std::string text = scratch_.Read("0.out");
    ASSERT_EQ(text.size(), all.size());
    EXPECT_TRUE(text.substr(static_cast<size_t>(FirstByte())) ==
                all.substr(static_cast<size_t>(FirstByte())))
        << limit;
  }
}

TEST_F(LogFileTest, OnePieceMayBeLargerThanTheLimit) {
  LogFile log = Open(2 * kBlock);
  std::string piece;
  for (int i = 0; i < 10; ++i) piece += Block(i);
  Append(log, piece);
  EXPECT_EQ(FirstByte(), 9 * kBlock);
  EXPECT_TRUE(scratch_.Read("0.out").substr(9 * kBlock) == Block(9));
}

TEST_F(LogFileTest, AnExistingFileBeyondTheLimitIsShortenedToo) {
  scratch_.Write("0.out", std::string(20 * kBlock, 'x'));
  LogFile log = Open(8 * kBlock);
  EXPECT_EQ(FirstByte(), 0) << "not before something is written";
  Append(log, Block(0));
  EXPECT_EQ(FirstByte(), 17 * kBlock);
}

TEST_F(LogFileTest, IsReadByItsOwnerAlone) {
  Open(0);
  struct stat facts = {};
  ASSERT_EQ(stat(scratch_.In("0.out").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 07777, 0600u);
  if (geteuid() != 0) return;
  ASSERT_TRUE(LogFile::Open(scratch_.In("0.out"), 0, 1234).has_value());
  ASSERT_EQ(stat(scratch_.In("0.out").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, 1234u);
  EXPECT_EQ(facts.st_gid, getegid());
}

TEST_F(LogFileTest, OpensNoLinkNoPipeAndNoDirectory) {
  scratch_.Write("secret", "secret");
  std::filesystem::create_symlink(scratch_.In("secret"), scratch_.In("link"));
  EXPECT_FALSE(LogFile::Open(scratch_.In("link"), 0, geteuid()).has_value());
  std::filesystem::create_directory(scratch_.In("directory"));
  EXPECT_FALSE(LogFile::Open(scratch_.In("directory"), 0, geteuid()).has_value());
  const auto device = LogFile::Open("/dev/null", 0, geteuid());
  ASSERT_FALSE(device.has_value());
  EXPECT_THAT(device.error().message, HasSubstr("is not a regular file"));
  EXPECT_EQ(scratch_.Read("secret"), "secret");
}

TEST_F(LogFileTest, ADirectoryThatIsNotThereIsNamed) {
  const auto log = LogFile::Open(scratch_.In("none/0.out"), 0, geteuid());
  ASSERT_FALSE(log.has_value());
  EXPECT_EQ(log.error().message,
            "cannot open the log " + scratch_.In("none/0.out") + ": No such file or directory");
}

}  // namespace
}  // namespace gp
