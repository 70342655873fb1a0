#include "adapters/outbound/images/layer_store.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/scratch.h"
#include "tests/unit/adapters/images/numbered.h"

namespace gp {
namespace {

using State = LayerStore::State;

constexpr int64_t kLimit = 1'000;
constexpr uint32_t kAna = 1'000;
constexpr uint32_t kBen = 1'001;

class Layers : public testing::Test {
 protected:
  Layers() { Open(); }
  void Open() {
    store_.reset();
    auto opened =
        LayerStore::Open(scratch_.In("images"), {.bytes_max = kLimit, .free_percent_min = 0});
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = *std::move(opened);
  }

  std::optional<State> Enter(const std::string& key, int layer, uint32_t uid = kAna) {
    store_->Pin(key, "");
    return store_->Enter(key, NumberedDigest(layer), uid);
  }
  // As a process would unpack it.
  void Unpack(int layer, int64_t bytes, uint32_t uid = kAna) {
    const auto root = store_->Begin(NumberedDigest(layer));
    ASSERT_TRUE(root);
    std::ofstream(*root + "/file") << "content";
    ASSERT_TRUE(store_->Finish(NumberedDigest(layer), *root, {.bytes = bytes, .files = 1}, uid));
  }
  void Add(const std::string& key, int layer, int64_t bytes) {
    ASSERT_EQ(Enter(key, layer), State::kAbsent);
    const auto room = store_->MakeRoom(key, NumberedDigest(layer), bytes, bytes);
    ASSERT_TRUE(room) << room.error().message;
    Unpack(layer, bytes);
    store_->Leave(NumberedDigest(layer));
  }
  bool Has(int layer) const {
    return std::filesystem::exists(store_->RootOf(NumberedDigest(layer)) + "/file");
  }

  Scratch scratch_;
  std::unique_ptr<LayerStore> store_;
};

TEST_F(Layers, ALayerIsThereOnceItIsFinished) {
  ASSERT_EQ(Enter("lease-1", 1), State::kAbsent);
  const auto root = store_->Begin(NumberedDigest(1));
  ASSERT_TRUE(root);
  EXPECT_FALSE(std::filesystem::exists(store_->RootOf(NumberedDigest(1))));
  Unpack(1, 100);
  store_->Leave(NumberedDigest(1));
  EXPECT_TRUE(Has(1));
  EXPECT_EQ(Enter("lease-2", 1), State::kReady);
  EXPECT_EQ(store_->bytes(), 100);
}

TEST_F(Layers, AnotherUserHasItOnceHeHasShownItsContent) {
  Add("lease-1", 1, 100);
  ASSERT_EQ(Enter("lease-2", 1, kBen), State::kUnshown);
  EXPECT_EQ(Enter("lease-1", 1, kAna), State::kReady) << "nobody waits for another user";
  ASSERT_TRUE(store_->Show(NumberedDigest(1), kBen));
  EXPECT_EQ(Enter("lease-2", 1, kBen), State::kReady);
  EXPECT_EQ(Enter("lease-1", 1, kAna), State::kReady);
}

TEST_F(Layers, WhatIsThereIsFoundAgainAndWhatWasNotFinishedIsRemoved) {
  Add("lease-1", 1, 100);
  ASSERT_EQ(Enter("lease-1", 2), State::kAbsent);
  ASSERT_TRUE(store_->Begin(NumberedDigest(2)));
  Add("lease-1", 3, 100);
  std::filesystem::remove(scratch_.In("images/layers/" + NumberedDigest(3).substr(7) +
                                      "/facts"));  // its removal had begun
  Open();
  EXPECT_EQ(store_->size(), 1u);
  EXPECT_EQ(store_->bytes(), 100);
  EXPECT_EQ(Enter("lease-1", 1), State::kReady);
  EXPECT_FALSE(Has(3));
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.In("images/building")));
}

TEST_F(Layers, OnlyRootEnters) {
  const auto modes = std::filesystem::status(scratch_.In("images")).permissions();
  EXPECT_EQ(modes, std::filesystem::perms::owner_all);
}

TEST_F(Layers, TheLongestUnusedMakeRoom) {
  Add("lease-1", 1, 300);
  Add("lease-2", 2, 300);
  Add("lease-3", 3, 300);
  for (const char* key : {"lease-1", "lease-2", "lease-3"}) store_->Unpin(key);
  EXPECT_EQ(Enter("lease-4", 1), State::kReady);  // used again
  store_->Unpin("lease-4");
  Add("lease-5", 4, 300);
  EXPECT_TRUE(Has(1));
  EXPECT_FALSE(Has(2));
  EXPECT_TRUE(Has(3));
  EXPECT_LE(store_->bytes(), kLimit);
}

TEST_F(Layers, WhatAttemptsUseIsNeverRemoved) {
  Add("lease-1", 1, 600);
  ASSERT_EQ(Enter("lease-2", 2), State::kAbsent);
  const auto room = store_->MakeRoom("lease-2", NumberedDigest(2), 500, 500);
  ASSERT_FALSE(room);
  EXPECT_EQ(room.error().code, ErrorCode::kResourceExhausted);
  store_->Leave(NumberedDigest(2));
  EXPECT_TRUE(Has(1));
  store_->Unpin("lease-1");
  Add("lease-3", 3, 500);
  EXPECT_FALSE(Has(1));
}

TEST_F(Layers, AttemptsOfAnEarlierAgentKeepTheirs) {
  Add("lease-1", 1, 600);
  const std::string root = store_->RootOf(NumberedDigest(1));
  Open();
  store_->Pin("lease-1", root);
  ASSERT_EQ(Enter("lease-2", 2), State::kAbsent);
  EXPECT_FALSE(store_->MakeRoom("lease-2", NumberedDigest(2), 500, 500));
}

TEST_F(Layers, RoomIsReservedBeforeBytesLand) {
  ASSERT_EQ(Enter("lease-1", 1), State::kAbsent);
  ASSERT_EQ(Enter("lease-2", 2), State::kAbsent);
  ASSERT_TRUE(store_->MakeRoom("lease-1", NumberedDigest(1), 600, 600));
  std::atomic<bool> has_room = false;
  std::thread other([&] {
    ASSERT_TRUE(store_->MakeRoom("lease-2", NumberedDigest(2), 600, 600));
    has_room = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(has_room);
  Unpack(1, 100);  // less than was reserved
  store_->Leave(NumberedDigest(1));
  other.join();
  EXPECT_TRUE(has_room);
}

TEST_F(Layers, OneLayerIsUnpackedOnceAtATime) {
  ASSERT_EQ(Enter("lease-1", 1), State::kAbsent);
  std::optional<State> second;
  std::thread other([&] { second = Enter("lease-2", 1); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(second.has_value());
  Unpack(1, 100);
  store_->Leave(NumberedDigest(1));
  other.join();
  EXPECT_EQ(second, State::kReady);
}

TEST_F(Layers, AnAttemptThatWasStoppedWaitsForNothing) {
  ASSERT_EQ(Enter("lease-1", 1), State::kAbsent);
  store_->Pin("lease-2", "");
  std::optional<State> second = State::kReady;
  std::thread other([&] { second = store_->Enter("lease-2", NumberedDigest(1), kAna); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  store_->Unpin("lease-2");
  other.join();
  EXPECT_EQ(second, std::nullopt);
}

TEST_F(Layers, OneThatIsStoppedWaitsForNoRoom) {
  ASSERT_EQ(Enter("lease-1", 1), State::kAbsent);
  ASSERT_EQ(Enter("lease-2", 2), State::kAbsent);
  ASSERT_TRUE(store_->MakeRoom("lease-1", NumberedDigest(1), 900, 900));
  std::optional<Result<int64_t>> room;
  std::thread other([&] { room = store_->MakeRoom("lease-2", NumberedDigest(2), 900, 900); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  store_->Unpin("lease-2");
  other.join();
  EXPECT_EQ(room->error().code, ErrorCode::kInternal);
}

TEST_F(Layers, WhatAnImageWillEnterStays) {
  Add("lease-1", 1, 600);
  store_->Unpin("lease-1");
  ASSERT_EQ(Enter("lease-2", 2), State::kAbsent);
  store_->PinAll("lease-2", {NumberedDigest(1), NumberedDigest(2)});
  EXPECT_FALSE(store_->MakeRoom("lease-2", NumberedDigest(2), 500, 500));
  store_->PinAll("lease-3", {NumberedDigest(1)});  // it was stopped
  store_->Unpin("lease-2");
  ASSERT_EQ(Enter("lease-4", 4), State::kAbsent);
  EXPECT_TRUE(store_->MakeRoom("lease-4", NumberedDigest(4), 500, 500));
}

TEST_F(Layers, WhatCannotFitRemovesNothing) {
  Add("lease-1", 1, 300);
  Add("lease-2", 2, 300);
  store_->Unpin("lease-2");
  ASSERT_EQ(Enter("lease-3", 3), State::kAbsent);
  EXPECT_EQ(store_->MakeRoom("lease-3", NumberedDigest(3), 900, 800).error().code,
            ErrorCode::kResourceExhausted);
  EXPECT_EQ(store_->MakeRoom("lease-3", NumberedDigest(3), 9'000, kLimit + 1).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_TRUE(Has(2));
  const auto room = store_->MakeRoom("lease-3", NumberedDigest(3), 900, 600);
  ASSERT_TRUE(room);
  EXPECT_EQ(*room, 700) << "all that there is";
  EXPECT_FALSE(Has(2));
  EXPECT_TRUE(Has(1));
}

TEST_F(Layers, TheRootIsForAllWhateverTheUmask) {
  const mode_t before = umask(0077);
  Add("lease-1", 1, 300);
  umask(before);
  const auto modes = std::filesystem::status(store_->RootOf(NumberedDigest(1))).permissions();
  EXPECT_EQ(static_cast<unsigned>(modes), 0755u);
}

// Deeper than any path, and than descriptors.
TEST_F(Layers, DeepTreesAreRemoved) {
  const auto root = store_->Begin(NumberedDigest(1));
  ASSERT_TRUE(root);
  int at = open(root->c_str(), O_RDONLY | O_DIRECTORY);
  for (int level = 0; level < 5'000; ++level) {
    ASSERT_EQ(mkdirat(at, "d", 0755), 0);
    const int below = openat(at, "d", O_RDONLY | O_DIRECTORY);
    close(at);
    at = below;
  }
  close(at);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit low{64, limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &low);
  store_->Abandon(*root);
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.In("images/building")));
}

TEST_F(Layers, RoomForBlobsIsTakenFromThatOfLayersUntilItsEnd) {
  Add("lease-1", 1, 600);
  store_->Unpin("lease-1");
  {
    auto room = store_->MakeBlobRoom(kAna, 500);
    ASSERT_TRUE(room);
    EXPECT_EQ(store_->size(), 0u) << "nobody used the layer";
    ASSERT_EQ(Enter("lease-2", 2), State::kAbsent);
    EXPECT_EQ(store_->MakeRoom("lease-2", NumberedDigest(2), 600, 600).error().code,
              ErrorCode::kResourceExhausted);
    EXPECT_EQ(store_->MakeBlobRoom(kBen, 500 + 1).error().code, ErrorCode::kInvalidArgument)
        << "more than half";
    EXPECT_EQ(store_->MakeBlobRoom(kAna, 1).error().code, ErrorCode::kResourceExhausted)
        << "one user has half at most";
    EXPECT_TRUE(store_->MakeBlobRoom(kBen, 500));
    room->Landed();
    EXPECT_EQ(store_->MakeRoom("lease-2", NumberedDigest(2), 600, 600).error().code,
              ErrorCode::kResourceExhausted)
        << "blobs that are there count until they are gone";
  }
  EXPECT_TRUE(store_->MakeRoom("lease-2", NumberedDigest(2), 600, 600));
}

}  // namespace
}  // namespace gp
