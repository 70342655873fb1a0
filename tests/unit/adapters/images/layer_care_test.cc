#include "adapters/outbound/images/layer_care.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>

#include "adapters/outbound/images/image_answers.h"
#include "tests/support/scratch.h"
#include "tests/support/wait_until.h"
#include "tests/unit/adapters/images/numbered.h"

namespace gp {
namespace {

constexpr uint32_t kAnyUser = 1'000;
// Of image N: N * 10 + the number in it.  Layer 1 is in both images.
constexpr int kShared = 1;

class CareForImages : public testing::Test {
 protected:
  void SetUp() override {
    auto opened =
        LayerStore::Open(scratch_.In("images"), {.bytes_max = 10'000, .free_percent_min = 0});
    ASSERT_TRUE(opened) << opened.error().message;
    layers_ = *std::move(opened);
    for (const int layer : {kShared, 11, 12, 21}) Add(layer);
    Note(1, {kShared, 11, 12});
    Note(2, {kShared, 21});
    LayerCare::Options options;
    options.look = [this](const LayerStore::Unpacked& layer) {
      const int number = NumberOf(layer.diff_id);
      const auto found = looks_.find(number);
      const Result<LayerLook> look = found == looks_.end() ? LayerLook{.files = 1} : found->second;
      return std::vector<std::string>{"/bin/sh", "-c", script_ + "; printf %s \"$1\"", "sh",
                                      AnswerText(look)};
    };
    care_ = std::make_unique<LayerCare>(std::move(options), layers_, records_);
  }
  void TearDown() override { close(stop_fd_); }

  void Add(int layer, const std::string& key = "lease-0") {
    layers_->Pin(key, "");
    ASSERT_EQ(layers_->Enter(key, NumberedDigest(layer), kAnyUser), LayerStore::State::kAbsent);
    const auto root = layers_->Begin(NumberedDigest(layer));
    ASSERT_TRUE(root);
    const UnpackedLayer unpacked{
        .bytes = 100, .files = 1, .list = has_lists_ ? NumberedDigest(layer + 500) : ""};
    ASSERT_TRUE(layers_->Finish(NumberedDigest(layer), *root, unpacked, kAnyUser));
    layers_->Leave(NumberedDigest(layer));
    layers_->Unpin(key);
  }
  void Note(int image, std::initializer_list<int> layers) {
    std::vector<std::string> diff_ids;
    for (const int layer : layers) diff_ids.push_back(NumberedDigest(layer));
    records_->Note("reg.lab/" + std::to_string(image) + ":v1", NumberedDigest(9'000 + image),
                   std::move(diff_ids));
  }
  void Use(const std::string& key, std::initializer_list<int> layers) {
    for (const int layer : layers) layers_->Pin(key, layers_->RootOf(NumberedDigest(layer)));
  }
  std::set<int> There() const {
    std::set<int> there;
    for (const auto& layer : layers_->All()) there.insert(NumberOf(layer.diff_id));
    return there;
  }
  std::set<std::string> Images() const {
    std::set<std::string> names;
    const auto all = records_->All();
    for (const ImageRecord& record : *all) names.insert(record.name);
    return names;
  }
  PrunedLayers Prune(const PruneOrder& order) {
    const auto pruned = care_->Prune(order);
    EXPECT_TRUE(pruned) << pruned.error().message;
    return pruned.value_or(PrunedLayers{});
  }
  Status Verify(const std::string& image = "") {
    return care_->Verify(image, stop_fd_,
                         [this](const VerifiedLayers& sums, const DamagedLayer* damaged) {
                           sums_ = sums;
                           if (damaged != nullptr) damaged_.push_back(*damaged);
                         });
  }

  Scratch scratch_;
  const int stop_fd_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  bool has_lists_ = true;
  std::shared_ptr<LayerStore> layers_;
  std::shared_ptr<ImageRecords> records_ = std::make_shared<ImageRecords>(scratch_.In("records"));
  std::map<int, Result<LayerLook>> looks_;  // by layer
  std::string script_ = ":";
  VerifiedLayers sums_;
  std::vector<DamagedLayer> damaged_;
  std::unique_ptr<LayerCare> care_;
};

TEST_F(CareForImages, PruneRemovesAllLayersAndTheirImages) {
  const PrunedLayers pruned = Prune({});
  EXPECT_EQ(pruned.layers, 4);
  EXPECT_EQ(pruned.images, 2);
  EXPECT_EQ(There(), std::set<int>());
  EXPECT_EQ(Images(), std::set<std::string>());
}

TEST_F(CareForImages, ATrialChangesNothing) {
  const PrunedLayers pruned = Prune({.is_trial = true});
  EXPECT_EQ(pruned.layers, 4);
  EXPECT_EQ(There().size(), 4u);
  EXPECT_EQ(Images().size(), 2u);
}

TEST_F(CareForImages, OfAnImageOnlyItsOwnLayersAreRemoved) {
  const PrunedLayers pruned = Prune({.image = "reg.lab/1:v1"});
  EXPECT_EQ(pruned.layers, 2);
  EXPECT_EQ(pruned.images, 1);
  EXPECT_EQ(There(), (std::set<int>{kShared, 21}));
  EXPECT_EQ(Images(), std::set<std::string>{"reg.lab/2:v1"});
}

TEST_F(CareForImages, AnImageWhoseLayersOthersHaveIsForgotten) {
  Note(3, {kShared, 21});
  EXPECT_EQ(Prune({.image = NumberedDigest(9'003)}).layers, 0);
  EXPECT_EQ(Images(), (std::set<std::string>{"reg.lab/1:v1", "reg.lab/2:v1"}));
}

TEST_F(CareForImages, AnImageMayBeNamedByTheBeginningOfItsDigestOnlyIfThatIsLong) {
  EXPECT_EQ(Prune({.image = "sha256:00000"}).images, 0);
  EXPECT_EQ(There().size(), 4u);
  EXPECT_EQ(Prune({.image = NumberedDigest(9'001).substr(0, 70)}).images, 2)
      << "both begin like that";
}

TEST_F(CareForImages, AnImageInUseKeepsItsLayersAndItsName) {
  Use("lease-1", {kShared, 11, 12});
  const PrunedLayers pruned = Prune({});
  EXPECT_EQ(pruned.layers, 1);
  EXPECT_EQ(pruned.layers_in_use, 3);
  EXPECT_EQ(There(), (std::set<int>{kShared, 11, 12}));
  EXPECT_EQ(Images(), std::set<std::string>{"reg.lab/1:v1"});
}

TEST_F(CareForImages, WhatWasUsedLatelyStays) {
  EXPECT_EQ(Prune({.unused_for = Duration::Minutes(10)}).layers, 0);
  EXPECT_EQ(Images().size(), 2u);
}

TEST_F(CareForImages, AnImageThatHasLostALayerIsPrunedOn) {
  care_.reset();
  LayerCare::Options options{.look = {}, .prune_time_limit = Duration{}};
  care_ = std::make_unique<LayerCare>(std::move(options), layers_, records_);
  EXPECT_TRUE(Prune({.image = "reg.lab/1:v1"}).is_unfinished);
  const auto all = records_->All();
  for (const ImageRecord& record : *all) ASSERT_TRUE(records_->Drop(record));
  const PrunedLayers rest = Prune({.image = "reg.lab/1:v1"});
  EXPECT_EQ(rest.images, 1);
  EXPECT_TRUE(rest.is_unfinished);
}

TEST_F(CareForImages, WhatWasDamagedBeforeTheAgentBeganIsRemovedWhenItIsUnused) {
  Use("lease-1", {kShared, 21});
  looks_.emplace(21, LayerLook{"etc", "has another mode", 3, 10});
  ASSERT_TRUE(Verify());
  care_.reset();
  auto opened =
      LayerStore::Open(scratch_.In("images"), {.bytes_max = 10'000, .free_percent_min = 0});
  ASSERT_TRUE(opened);
  layers_ = *std::move(opened);
  Use("lease-1", {kShared, 21});
  care_ = std::make_unique<LayerCare>(LayerCare::Options{}, layers_, records_);
  care_->Begin();
  usleep(50'000);
  EXPECT_TRUE(There().contains(21));
  layers_->Unpin("lease-1");
  EXPECT_TRUE(WaitUntil([&] { return !There().contains(21); }));
  EXPECT_FALSE(There().contains(21));
}

TEST_F(CareForImages, AnImageThatIsNotHereIsNoFault) {
  EXPECT_EQ(Prune({.image = "reg.lab/9:v1"}).images, 0);
  EXPECT_TRUE(Verify("reg.lab/9:v1"));
  EXPECT_EQ(sums_, VerifiedLayers{});
  EXPECT_EQ(There().size(), 4u);
}

TEST_F(CareForImages, WholeLayersStay) {
  ASSERT_TRUE(Verify());
  EXPECT_EQ(sums_, (VerifiedLayers{.layers = 4, .layers_total = 4, .bytes = 400, .images = 2}));
  EXPECT_TRUE(damaged_.empty());
  EXPECT_EQ(There().size(), 4u);
}

TEST_F(CareForImages, ADamagedLayerIsToldAndRemoved) {
  looks_.emplace(kShared, LayerLook{"usr/\x1b[2Jx", "is missing", 3, 10});
  ASSERT_TRUE(Verify("reg.lab/2:v1"));
  ASSERT_EQ(damaged_.size(), 1u);
  EXPECT_EQ(damaged_[0].diff_id, NumberedDigest(kShared));
  EXPECT_EQ(damaged_[0].images, (std::vector<std::string>{"reg.lab/2:v1", "reg.lab/1:v1"}));
  EXPECT_EQ(damaged_[0].path.find('\x1b'), std::string::npos);
  EXPECT_EQ(damaged_[0].what, "is missing");
  EXPECT_FALSE(damaged_[0].is_in_use);
  EXPECT_EQ(sums_.layers, 2);
  EXPECT_EQ(sums_.damaged, 1);
  EXPECT_EQ(There(), (std::set<int>{11, 12, 21}));
}

TEST_F(CareForImages, ADamagedLayerInUseIsRemovedWhenItsAttemptEnds) {
  Use("lease-1", {kShared, 21});
  looks_.emplace(21, LayerLook{"etc", "has another mode", 3, 10});
  ASSERT_TRUE(Verify());
  ASSERT_EQ(damaged_.size(), 1u);
  EXPECT_TRUE(damaged_[0].is_in_use);
  EXPECT_TRUE(There().contains(21));
  layers_->Pin("lease-2", "");
  EXPECT_EQ(layers_->Enter("lease-2", NumberedDigest(21), kAnyUser), LayerStore::State::kDamaged);
  layers_->Unpin("lease-1");
  EXPECT_TRUE(WaitUntil([&] { return !There().contains(21); }));
  EXPECT_FALSE(There().contains(21));
  EXPECT_EQ(layers_->Enter("lease-2", NumberedDigest(21), kAnyUser), LayerStore::State::kAbsent);
}

TEST_F(CareForImages, OfALayerWithoutAListFilesAreCounted) {
  has_lists_ = false;
  Add(31);
  Add(32);
  Note(3, {31, 32});
  looks_.emplace(31, LayerLook{.files = 2});
  ASSERT_TRUE(Verify("reg.lab/3:v1"));
  EXPECT_EQ(sums_.counted, 2);
  ASSERT_EQ(damaged_.size(), 1u);
  EXPECT_EQ(damaged_[0].diff_id, NumberedDigest(31));
  EXPECT_EQ(damaged_[0].what, "has 2 files, and 1 were unpacked");
}

TEST_F(CareForImages, ALookThatFailsSaysNothingAboutTheLayer) {
  looks_.emplace(11, Fail(Internal("no memory")));
  const Status verified = Verify();
  ASSERT_FALSE(verified);
  EXPECT_NE(verified.error().message.find("no memory"), std::string::npos);
  EXPECT_EQ(sums_.layers, 3) << "the others were verified";
  EXPECT_EQ(There().size(), 4u);
}

TEST_F(CareForImages, WhatIsRemovedWhileItIsReadIsNotDamaged) {
  script_ = "sleep 0.3";
  looks_.emplace(11, LayerLook{"etc", "is missing", 3, 10});
  auto verified = std::async(std::launch::async, [this] { return Verify(); });
  usleep(100'000);
  Prune({});
  EXPECT_TRUE(verified.get());
  EXPECT_TRUE(damaged_.empty());
}

TEST_F(CareForImages, OneVerificationRunsAtATimeAndStopsAtOnce) {
  script_ = "sleep 1000";
  std::promise<void> begun;
  auto verified = std::async(std::launch::async, [&] {
    return care_->Verify("", stop_fd_, [&](const VerifiedLayers& sums, const DamagedLayer*) {
      if (sums.layers == 0) begun.set_value();
    });
  });
  begun.get_future().wait();
  const int stop_fd = eventfd(0, EFD_CLOEXEC);
  const Status second =
      care_->Verify("", stop_fd, [](const VerifiedLayers&, const DamagedLayer*) {});
  close(stop_fd);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("already"), std::string::npos);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  const uint64_t one = 1;
  ASSERT_EQ(write(stop_fd_, &one, sizeof one), static_cast<ssize_t>(sizeof one));
  const Status first = verified.get();
  ASSERT_FALSE(first);
  EXPECT_NE(first.error().message.find("stopped"), std::string::npos);
}

TEST_F(CareForImages, TheEndOfTheAgentEndsAVerification) {
  script_ = "sleep 1000";
  auto verified = std::async(std::launch::async, [this] { return Verify(); });
  usleep(100'000);
  care_->Stop();
  EXPECT_FALSE(verified.get());
  EXPECT_FALSE(care_->Prune({}));
  EXPECT_FALSE(Verify());
}

}  // namespace
}  // namespace gp
