#include "adapters/outbound/data_store/data_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/scratch.h"

namespace gp {
namespace {

class Cache : public testing::Test {
 protected:
  Cache() { Open(); }
  void Open() {
    cache_ = nullptr;
    cache_ = DataCache::Open(scratch_.path() + "/data", 100).value();
  }
  Status Reserve(const std::string& name, int64_t bytes) {
    return cache_->Reserve(name, bytes, geteuid(), getegid());
  }
  void Fetch(const std::string& name, int64_t bytes) {
    cache_->Pin("fetch", name);
    EXPECT_TRUE(Reserve(name, bytes)) << name;
    std::ofstream(cache_->TreeOf(name) + "/file") << std::string(static_cast<size_t>(bytes), 'x');
    EXPECT_TRUE(cache_->Finish(name));
    cache_->Unpin("fetch");
  }

  Scratch scratch_;
  std::unique_ptr<DataCache> cache_;
};

TEST_F(Cache, WhatIsCompleteIsThereAgainAfterARestart) {
  EXPECT_FALSE(cache_->Use("a"));
  Fetch("a", 40);
  EXPECT_TRUE(cache_->Use("a"));
  cache_->Pin("1", "b");
  ASSERT_TRUE(Reserve("b", 10));
  Open();
  EXPECT_TRUE(cache_->Use("a"));
  EXPECT_FALSE(cache_->Use("b")) << "it is not complete";
  EXPECT_TRUE(std::filesystem::exists(cache_->TreeOf("b"))) << "its files are fetched on";
}

TEST_F(Cache, TheLeastRecentlyUsedMakesRoom) {
  Fetch("a", 40);
  Fetch("b", 40);
  EXPECT_TRUE(cache_->Use("a"));
  Fetch("c", 60);
  EXPECT_TRUE(cache_->Use("a"));
  EXPECT_FALSE(cache_->Use("b"));
  EXPECT_FALSE(std::filesystem::exists(cache_->TreeOf("b")));
}

TEST_F(Cache, WhatIsInUseStaysAndNothingIsRemovedInVain) {
  Fetch("a", 40);
  Fetch("b", 40);
  cache_->Pin("lease-1", "a");
  const Status status = Reserve("c", 61);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kResourceExhausted);
  EXPECT_TRUE(cache_->Use("b"));
  cache_->Unpin("lease-1");
  EXPECT_TRUE(Reserve("c", 61));
}

TEST_F(Cache, MoreThanThereEverIsIsRefused) { EXPECT_FALSE(Reserve("a", 101)); }

TEST_F(Cache, RoomThatWasReservedCounts) {
  cache_->Pin("1", "a");
  ASSERT_TRUE(Reserve("a", 60));
  EXPECT_FALSE(Reserve("b", 60)) << "nothing of it has landed yet";
}

TEST_F(Cache, APathTellsItsEntry) {
  EXPECT_EQ(cache_->NameOf(cache_->TreeOf("a") + "/x"), "a");
  EXPECT_EQ(cache_->NameOf("/elsewhere/a/tree"), "");
}

}  // namespace
}  // namespace gp
