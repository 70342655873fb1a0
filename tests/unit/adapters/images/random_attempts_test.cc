// Attempts begin and end at random, and agents are killed at any point: the room is never exceeded,
// and the layers of an attempt that runs stay.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/images/layer_store.h"
#include "base/rng.h"
#include "tests/support/scratch.h"
#include "tests/unit/adapters/images/numbered.h"

namespace gp {
namespace {

constexpr int64_t kRoom = 1'000;
constexpr int kLayers = 40;
constexpr uint32_t kUsers = 3;
constexpr int kStepsInCi = 300;

int Steps() {
  const char* const steps = std::getenv("GP_STEPS");
  return steps == nullptr ? kStepsInCi : std::atoi(steps);
}

class RandomAttempts {
 public:
  explicit RandomAttempts(uint64_t seed) : rng_(seed) { StartAgent(); }

  void Step() {
    switch (rng_.Below(8)) {
      case 0: return StartAgent();
      case 1:
      case 2:
      case 3: return EndOne();
      default: return BeginOne();
    }
  }
  void Check() const {
    EXPECT_LE(store_->bytes(), kRoom);
    for (const auto& [key, layers] : running_) {
      for (const int layer : layers)
        EXPECT_TRUE(std::filesystem::exists(RootOf(layer) + "/file")) << key << " lost " << layer;
    }
    size_t on_disk = 0;
    for ([[maybe_unused]] const auto& entry :
         std::filesystem::directory_iterator(scratch_.In("images/layers")))
      ++on_disk;
    EXPECT_EQ(on_disk, store_->size());
  }
  int unpacked() const { return unpacked_; }
  int refused() const { return refused_; }
  int kills() const { return kills_; }

 private:
  static int64_t SizeOf(int layer) { return 20 + layer * 7; }
  std::string RootOf(int layer) const { return store_->RootOf(NumberedDigest(layer)); }

  // Whatever the one before was doing.
  void StartAgent() {
    store_.reset();
    auto opened =
        LayerStore::Open(scratch_.In("images"), {.bytes_max = kRoom, .free_percent_min = 0});
    ASSERT_TRUE(opened) << opened.error().message;
    store_ = *std::move(opened);
    for (const auto& [key, layers] : running_) {
      for (const int layer : layers) store_->Pin(key, RootOf(layer));
    }
    ++kills_;
  }
  void EndOne() {
    if (running_.empty()) return;
    const auto one = std::next(running_.begin(), static_cast<int64_t>(rng_.Below(running_.size())));
    store_->Unpin(one->first);
    running_.erase(one);
  }
  void BeginOne() {
    const std::string key = "lease-" + std::to_string(++attempts_);
    const auto uid = static_cast<uint32_t>(rng_.Below(kUsers));
    store_->Pin(key, "");
    std::vector<int> layers;
    for (size_t count = 1 + rng_.Below(4); count > 0; --count) {
      layers.push_back(static_cast<int>(rng_.Below(kLayers)));
      if (Prepare(key, layers.back(), uid)) continue;
      store_->Unpin(key);
      return;
    }
    running_[key] = layers;
  }
  // False: there is no room, or the agent was killed.
  bool Prepare(const std::string& key, int layer, uint32_t uid) {
    const std::string id = NumberedDigest(layer);
    const auto state = store_->Enter(key, id, uid);
    if (state == LayerStore::State::kUnshown) return store_->Show(id, uid).has_value();
    if (state == LayerStore::State::kReady) return true;
    const bool has_room = store_->MakeRoom(key, id, SizeOf(layer), SizeOf(layer)).has_value();
    const bool is_unpacked = has_room && Unpack(id, layer, uid);
    store_->Leave(id);
    if (!has_room) ++refused_;
    return is_unpacked;
  }
  bool Unpack(const std::string& id, int layer, uint32_t uid) {
    const auto root = store_->Begin(id);
    EXPECT_TRUE(root) << root.error().message;
    std::ofstream(*root + "/file") << "content";
    if (rng_.Below(10) == 0) {
      StartAgent();
      return false;
    }
    ++unpacked_;
    return store_->Finish(id, *root, {.bytes = SizeOf(layer), .files = 1}, uid).has_value();
  }

  Rng rng_;
  Scratch scratch_;
  std::unique_ptr<LayerStore> store_;
  std::map<std::string, std::vector<int>> running_;
  int attempts_ = 0;
  int unpacked_ = 0;
  int refused_ = 0;
  int kills_ = 0;
};

TEST(LayerStoreProperty, RoomIsKeptAndLayersInUseStay) {
  RandomAttempts attempts(7);
  for (int step = 0; step < Steps(); ++step) {
    attempts.Step();
    attempts.Check();
    ASSERT_FALSE(testing::Test::HasFailure()) << "step " << step;
  }
  EXPECT_GT(attempts.unpacked(), 20);
  EXPECT_GT(attempts.refused(), 5);
  EXPECT_GT(attempts.kills(), 20);
}

}  // namespace
}  // namespace gp
