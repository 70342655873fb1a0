#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "adapters/outbound/images/layer_store.h"
#include "tests/support/scratch.h"
#include "tests/support/wait_until.h"
#include "tests/unit/adapters/images/numbered.h"

namespace gp {
namespace {

using State = LayerStore::State;
using Damage = LayerStore::Damage;

constexpr uint32_t kOwner = 1'000;

bool Always() { return true; }

class CaredLayers : public testing::Test {
 protected:
  CaredLayers() { Open(); }
  void Open() {
    store_.reset();
    auto opened =
        LayerStore::Open(scratch_.In("images"), {.bytes_max = 10'000, .free_percent_min = 0});
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = *std::move(opened);
  }
  std::optional<State> Enter(const std::string& key, int layer) {
    store_->Pin(key, "");
    return store_->Enter(key, NumberedDigest(layer), kOwner);
  }
  void Unpack(int layer) {
    const auto root = store_->Begin(NumberedDigest(layer));
    ASSERT_TRUE(root);
    std::ofstream(*root + "/file") << "content";
    const UnpackedLayer unpacked{.bytes = 100, .files = 1, .list = NumberedDigest(layer + 500)};
    ASSERT_TRUE(store_->Finish(NumberedDigest(layer), *root, unpacked, kOwner));
    store_->Leave(NumberedDigest(layer));
  }
  void Add(const std::string& key, int layer) {
    ASSERT_EQ(Enter(key, layer), State::kAbsent);
    Unpack(layer);
  }
  bool Has(int layer) const {
    return std::filesystem::exists(store_->RootOf(NumberedDigest(layer)) + "/file");
  }
  LayerStore::Unpacked Find(int layer) const {
    for (const auto& one : store_->All()) {
      if (one.diff_id == NumberedDigest(layer)) return one;
    }
    ADD_FAILURE() << "there is no layer " << layer;
    return {};
  }
  void UsedAt(int layer, int64_t hours_ago) {
    const auto facts =
        std::filesystem::path(store_->RootOf(NumberedDigest(layer))).parent_path() / "facts";
    std::filesystem::last_write_time(
        facts, std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours_ago));
  }
  static int64_t HoursAgo(int64_t hours) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return (now.tv_sec - hours * 3'600) * 1'000'000'000;
  }

  Scratch scratch_;
  std::unique_ptr<LayerStore> store_;
};

TEST_F(CaredLayers, PruneRemovesWhatNoAttemptHasPinned) {
  Add("lease-1", 1);
  Add("lease-2", 2);
  Add("lease-3", 3);
  store_->Unpin("lease-2");
  store_->Unpin("lease-3");
  const PrunedLayers trial = store_->Prune({}, true, Always);
  EXPECT_EQ(trial.layers, 2);
  EXPECT_EQ(trial.bytes, 200);
  EXPECT_TRUE(Has(2)) << "it was only tried";
  const PrunedLayers pruned = store_->Prune({}, false, Always);
  EXPECT_EQ(pruned.layers, 2);
  EXPECT_EQ(pruned.bytes, 200);
  EXPECT_EQ(pruned.layers_in_use, 1);
  EXPECT_EQ(pruned.bytes_in_use, 100);
  EXPECT_TRUE(Has(1));
  EXPECT_FALSE(Has(2) || Has(3));
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.In("images/building")));
  Open();
  EXPECT_EQ(store_->size(), 1u);
}

TEST_F(CaredLayers, PruneLeavesALayerThatIsBeingUnpackedOrIsPlanned) {
  ASSERT_EQ(Enter("lease-1", 1), State::kAbsent);
  Add("lease-2", 2);
  store_->Unpin("lease-2");
  store_->Pin("lease-3", "");
  store_->PinAll("lease-3", {NumberedDigest(2)});  // it has its plan, and enters it later
  EXPECT_EQ(store_->Prune({}, false, Always).layers, 0);
  Unpack(1);
  EXPECT_EQ(store_->Enter("lease-3", NumberedDigest(2), kOwner), State::kReady);
  EXPECT_TRUE(Has(1) && Has(2));
}

TEST_F(CaredLayers, PruneTakesOnlyWhatIsMeant) {
  for (const int layer : {1, 2, 3}) Add("lease-1", layer);
  store_->Unpin("lease-1");
  UsedAt(1, 200);
  UsedAt(2, 100);
  Open();
  LayerStore::Prunable which{.diff_ids = {}, .unused_since_ns = HoursAgo(150)};
  EXPECT_EQ(store_->Prune(which, false, Always).layers, 1);
  EXPECT_FALSE(Has(1));
  which = {.diff_ids = std::set{NumberedDigest(3)}};
  EXPECT_EQ(store_->Prune(which, false, Always).layers, 1);
  EXPECT_TRUE(Has(2));
  EXPECT_FALSE(Has(3));
}

TEST_F(CaredLayers, TheEndOfAnAttemptIsAUse) {
  Add("lease-1", 1);
  UsedAt(1, 200);
  Open();
  store_->Pin("lease-1", store_->RootOf(NumberedDigest(1)));
  store_->Unpin("lease-1");
  EXPECT_EQ(store_->Prune({.diff_ids = {}, .unused_since_ns = HoursAgo(1)}, false, Always).layers,
            0);
}

TEST_F(CaredLayers, PruneRemovesTheLongestUnusedFirstAndStops) {
  for (const int layer : {1, 2, 3}) Add("lease-1", layer);
  store_->Unpin("lease-1");
  UsedAt(1, 1);
  UsedAt(2, 3);
  UsedAt(3, 2);
  Open();
  int left = 2;
  const PrunedLayers pruned = store_->Prune({}, false, [&left] { return left-- > 0; });
  EXPECT_EQ(pruned.layers, 2);
  EXPECT_TRUE(pruned.is_unfinished);
  EXPECT_TRUE(Has(1));
  EXPECT_FALSE(Has(2) || Has(3));
}

TEST_F(CaredLayers, TheListOfALayerIsKnownAfterARestart) {
  Add("lease-1", 1);
  for (int i = 0; i < 2; ++i, Open()) {
    EXPECT_EQ(Find(1).list, NumberedDigest(501));
    EXPECT_EQ(Find(1).files, 1);
  }
}

TEST_F(CaredLayers, ALayerOfAnOlderVersionHasNoList) {
  Add("lease-1", 1);
  const auto facts =
      std::filesystem::path(store_->RootOf(NumberedDigest(1))).parent_path() / "facts";
  for (const char* line : {"100 7\n", "100 7 list2:sha256:00\n", "100 7 list1:odd\n"}) {
    std::ofstream(facts) << line;
    Open();
    EXPECT_EQ(Find(1).list, "") << line;
    EXPECT_EQ(Find(1).files, 7) << line;
    EXPECT_EQ(store_->bytes(), 100) << line;
  }
}

TEST_F(CaredLayers, ADamagedLayerThatNobodyUsesIsRemoved) {
  Add("lease-1", 1);
  store_->Unpin("lease-1");
  EXPECT_EQ(store_->NoteDamage(Find(1)), Damage::kRemoved);
  EXPECT_FALSE(Has(1));
  EXPECT_EQ(Enter("lease-2", 1), State::kAbsent);
}

TEST_F(CaredLayers, ADamagedLayerThatIsInUseIsGivenToNobodyElse) {
  Add("lease-1", 1);
  EXPECT_EQ(store_->NoteDamage(Find(1)), Damage::kInUse);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(Has(1));
    EXPECT_FALSE(store_->IsReady(NumberedDigest(1), kOwner)) << "its blob must be pulled again";
    EXPECT_EQ(Enter("lease-2", 1), State::kDamaged);
    Open();  // the agent starts again
    store_->Pin("lease-1", store_->RootOf(NumberedDigest(1)));
  }
  store_->Unpin("lease-1");
  store_->Pin("lease-3", "");
  store_->PinAll("lease-3", {NumberedDigest(1)});
  EXPECT_EQ(store_->Enter("lease-3", NumberedDigest(1), kOwner), State::kAbsent);
  EXPECT_FALSE(Has(1));
  Unpack(1);
  EXPECT_TRUE(store_->IsReady(NumberedDigest(1), kOwner));
}

TEST_F(CaredLayers, AnAttemptThatPlannedWithALayerDoesNotUnpackItWhenItIsDamaged) {
  Add("lease-1", 1);
  store_->Unpin("lease-1");
  store_->Pin("lease-2", "");
  store_->PinAll("lease-2", {NumberedDigest(1)});  // its blob is not pulled
  EXPECT_EQ(store_->NoteDamage(Find(1)), Damage::kInUse);
  EXPECT_EQ(store_->Enter("lease-2", NumberedDigest(1), kOwner), State::kDamaged);
}

TEST_F(CaredLayers, ADamagedLayerIsRemovedOnceItIsUnused) {
  Add("lease-1", 1);
  ASSERT_EQ(store_->NoteDamage(Find(1)), Damage::kInUse);
  std::thread remover([this] {
    while (store_->RemoveNextDamaged()) {
    }
  });
  EXPECT_TRUE(Has(1));
  store_->Unpin("lease-1");
  EXPECT_TRUE(WaitUntil([&] { return store_->size() == 0; }));
  EXPECT_EQ(store_->size(), 0u);
  store_->EndWaits();
  remover.join();
  EXPECT_FALSE(Has(1));
}

TEST_F(CaredLayers, WhatWasFoundOfALayerMeansNothingOnceItIsAnotherOne) {
  Add("lease-1", 1);
  const LayerStore::Unpacked seen = Find(1);
  store_->Unpin("lease-1");
  EXPECT_TRUE(store_->IsThere(seen));
  ASSERT_EQ(store_->Prune({}, false, Always).layers, 1);
  EXPECT_FALSE(store_->IsThere(seen));
  Add("lease-2", 1);
  EXPECT_FALSE(store_->IsThere(seen));
  EXPECT_EQ(store_->NoteDamage(seen), Damage::kGone);
  EXPECT_TRUE(Has(1));
}

}  // namespace
}  // namespace gp
