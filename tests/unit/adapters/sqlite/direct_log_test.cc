#include "adapters/outbound/sqlite/direct_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/rng.h"

namespace gp {
namespace {

class DirectLogTest : public testing::Test {
 protected:
  DirectLogTest() {
    std::string name = "/var/tmp/direct-log-XXXXXX";  // below /tmp there may be no direct writes
    directory_ = mkdtemp(name.data());
    path_ = directory_ + "/log";
    std::ofstream(path_).flush();
    log_ = DirectLog::Open(path_);
  }
  ~DirectLogTest() override { std::filesystem::remove_all(directory_); }

  // REQUIRES: a disk with direct writes, as every one is that Debian is installed on.
  void SetUp() override { ASSERT_NE(log_, nullptr) << "no direct writes in " << directory_; }

  void Append(const std::string& bytes, int64_t at) {
    ASSERT_EQ(log_->Append(bytes.data(), bytes.size(), at), 0);
  }
  std::string Content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // As another writer does, through the page cache.
  void WriteElsewhere(const std::string& bytes, int64_t at) const {
    const int file = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    ASSERT_EQ(pwrite(file, bytes.data(), bytes.size(), at), static_cast<ssize_t>(bytes.size()));
    close(file);
  }

  std::string directory_;
  std::string path_;
  std::unique_ptr<DirectLog> log_;
};

TEST_F(DirectLogTest, NothingIsInTheFileBeforeItIsFlushed) {
  Append("header", 0);
  EXPECT_EQ(Content(), "");
  EXPECT_EQ(log_->pending(), "header");
  ASSERT_EQ(log_->Flush(), 0);
  EXPECT_EQ(log_->pending(), "");
  EXPECT_EQ(Content(), "header" + std::string(4'090, '\0'));
}

TEST_F(DirectLogTest, WhatWasFlushedStaysWhenMoreIsAppendedInItsBlock) {
  Append("one", 0);
  ASSERT_EQ(log_->Flush(), 0);
  Append("two", 3);
  ASSERT_EQ(log_->Flush(), 0);
  EXPECT_EQ(Content().substr(0, 7), std::string("onetwo\0", 7));
}

TEST_F(DirectLogTest, GoesOnInABlockThatAnotherProcessWrote) {
  WriteElsewhere(std::string(5'000, 'a') + "stale", 0);
  Append("b", 5'000);
  ASSERT_EQ(log_->Flush(), 0);
  EXPECT_EQ(Content(), std::string(5'000, 'a') + "b" + std::string(8'192 - 5'001, '\0'));
}

TEST_F(DirectLogTest, AppendsOnlyAtItsEndOrFromTheBeginning) {
  Append(std::string(10'000, 'a'), 0);
  EXPECT_FALSE(log_->Takes(9'999, 1));
  EXPECT_TRUE(log_->Takes(10'000, 1));
  EXPECT_FALSE(log_->Takes(0, 1));
  log_->BeginAgain();
  EXPECT_TRUE(log_->Takes(0, 1));
  Append("b", 0);
  EXPECT_TRUE(log_->Takes(1, 1));
}

TEST_F(DirectLogTest, TakesNoMoreThanItHasRoomForBeforeAFlush) {
  constexpr size_t kRoom = 1'048'576;
  Append("header", 0);
  EXPECT_TRUE(log_->Takes(6, kRoom - 6));
  EXPECT_FALSE(log_->Takes(6, kRoom - 5));
  EXPECT_FALSE(log_->Takes(10'000, kRoom - 10'000 % 4'096 + 1)) << "elsewhere, in its block";
  Append(std::string(kRoom - 6, 'a'), 6);
  EXPECT_FALSE(log_->Takes(kRoom, 1));
  ASSERT_EQ(log_->Flush(), 0);
  EXPECT_TRUE(log_->Takes(kRoom, kRoom));
  EXPECT_EQ(Content(), "header" + std::string(kRoom - 6, 'a'));
}

TEST_F(DirectLogTest, WhatOthersWroteAtTheEndIsKept) {
  Append(std::string(100, 'a'), 0);
  ASSERT_EQ(log_->Flush(), 0);
  WriteElsewhere(std::string(50, 'b'), 80);
  log_->NoteEnd(130);
  EXPECT_FALSE(log_->Takes(129, 1));
  Append("c", 130);
  ASSERT_EQ(log_->Flush(), 0);
  EXPECT_EQ(Content().substr(0, 132),
            std::string(80, 'a') + std::string(50, 'b') + "c" + std::string(1, '\0'));
}

TEST_F(DirectLogTest, ReadsWhatIsPendingAndNothingElse) {
  Append("0123456789", 0);
  char bytes[4] = {};
  ASSERT_TRUE(log_->ReadPending(bytes, 4, 6));
  EXPECT_EQ(std::string_view(bytes, 4), "6789");
  EXPECT_FALSE(log_->ReadPending(bytes, 4, 7)) << "one byte of it is not there";
  ASSERT_EQ(log_->Flush(), 0);
  EXPECT_FALSE(log_->ReadPending(bytes, 4, 6)) << "it is in the file now";
}

// Pieces of all sizes, flushed now and then, begun again now and then: the file holds what a
// string holds that the same was done to.
TEST_F(DirectLogTest, HoldsWhatWasAppendedWhateverItsPieces) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    std::string expected;
    log_->BeginAgain();
    for (int step = 0; step < 60; ++step) {
      if (rng.Chance(1, 25)) {
        ASSERT_EQ(log_->Flush(), 0);
        log_->BeginAgain();
        expected.clear();
      }
      const size_t size = rng.Chance(1, 30) ? rng.Below(900'000) : 1 + rng.Below(9'000);
      const std::string piece(size, static_cast<char>('a' + rng.Below(26)));
      const auto end = static_cast<int64_t>(expected.size());
      if (!log_->Takes(end, size)) {
        ASSERT_EQ(log_->Flush(), 0);
      }
      ASSERT_TRUE(log_->Takes(end, size));
      Append(piece, end);
      expected += piece;
      if (rng.Chance(1, 4)) {
        ASSERT_EQ(log_->Flush(), 0);
      }
      if (rng.Chance(1, 20)) {
        ASSERT_EQ(log_->Flush(), 0);
        log_ = DirectLog::Open(path_);
      }
    }
    ASSERT_EQ(log_->Flush(), 0);
    ASSERT_TRUE(Content().starts_with(expected)) << "seed " << seed;
  }
}

TEST_F(DirectLogTest, SaysWhyItCannotWrite) {
  // Past the largest file there can be.
  const int64_t far = INT64_MAX / 4'096 * 4'096 - 4'096;
  Append("x", far);
  EXPECT_NE(log_->Flush(), 0);
  EXPECT_EQ(log_->pending(), "x") << "whoever appended it decides";
  log_->DropPending();
  EXPECT_EQ(log_->pending(), "");
  EXPECT_EQ(log_->Flush(), 0);
}

TEST_F(DirectLogTest, WhatIsMissingBeforeItIsNotMadeUp) {
  const std::string bytes = "x";
  EXPECT_NE(log_->Append(bytes.data(), bytes.size(), 100), 0) << "there are no hundred bytes";
}

TEST(DirectLog, IsNotMadeForAFileThatIsNotThere) {
  EXPECT_EQ(DirectLog::Open("/nonexistent/log"), nullptr);
}

}  // namespace
}  // namespace gp
