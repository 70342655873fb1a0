#include "adapters/outbound/images/process_image_store.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <fstream>

#include "adapters/outbound/images/image_answers.h"
#include "lib/secrets/secrets.h"
#include "tests/support/scratch.h"
#include "tests/support/wait_until.h"
#include "tests/unit/adapters/images/numbered.h"

namespace gp {
namespace {

// A command that prints this answer, after `script`.
std::vector<std::string> Prints(const std::string& answer, const std::string& script = ":") {
  return {"/bin/sh", "-c", script + "; printf %s \"$1\"", "sh", answer};
}

class ImageStoreTest : public testing::Test {
 protected:
  void Open(int64_t bytes_max = 1 << 30) {
    store_.reset();
    auto layers =
        LayerStore::Open(scratch_.In("images"), {.bytes_max = bytes_max, .free_percent_min = 0});
    ASSERT_TRUE(layers);
    ProcessImageStore::Options options;
    options.read = [this](const LaunchSpec&) { return Prints(AnswerText(plan_)); };
    options.unpack = [this](const LaunchSpec&, const LayerTask& task) {
      return Prints(AnswerText(AnswerOf(task)),
                    "echo " + std::string(task.is_check ? "check" : "unpack") + " " +
                        task.layer.digest + " " + std::to_string(task.bytes_max) + " >> " +
                        scratch_.In("calls") + "; echo x > " + task.root + "/file; " + delay_);
    };
    options.list = [this](const std::string&) {
      return std::vector<std::string>{"/bin/sh", "-c", list_};
    };
    layers_ = *std::move(layers);
    store_ = std::make_unique<ProcessImageStore>(
        std::move(options), layers_, std::make_unique<ImageRecords>(scratch_.In("records")));
  }
  // A layer of blob N has the archive N + 100, unless the test says otherwise.
  Result<UnpackedLayer> AnswerOf(const LayerTask& task) const {
    const auto answer = answers_.find(task.layer.digest);
    if (answer != answers_.end()) return answer->second;
    return UnpackedLayer{task.layer.digest, NumberedDigest(NumberOf(task.layer.digest) + 100), 10,
                         1};
  }
  static ImagePlan PlanOf(std::initializer_list<int> layers) {
    ImagePlan plan{.digest = NumberedDigest(1'000),
                   .manifest = NumberedDigest(1'001),
                   .environment = {"A=1"},
                   .working_directory = "/w"};
    for (const int layer : layers)
      plan.layers.push_back({NumberedDigest(layer), NumberedDigest(layer + 100), 10});
    return plan;
  }
  static LaunchSpec Attempt(const std::string& key, uint32_t uid = 1'000) {
    LaunchSpec spec;
    spec.key = key;
    spec.uid = uid;
    spec.layered_image = LayeredImage{.path = "/data/img"};
    return spec;
  }
  Result<UnpackedImage> Await(const LaunchSpec& spec) { return AwaitImage(*store_, spec); }
  // "unpack 1" or "check 1": what was done, and the number of the layer.
  std::vector<std::string> Calls() const {
    std::vector<std::string> calls;
    std::ifstream file(scratch_.In("calls"));
    for (std::string verb, digest, room; file >> verb >> digest >> room;)
      calls.push_back(verb + " " + std::to_string(NumberOf(digest)));
    return calls;
  }
  std::string RootOf(int layer) const {
    return scratch_.In("images/layers/" + NumberedDigest(layer + 100).substr(7) + "/root");
  }

  Scratch scratch_;
  Result<ImagePlan> plan_ = PlanOf({1, 2});
  std::map<std::string, Result<UnpackedLayer>> answers_;  // by digest
  std::string delay_ = ":";
  std::string list_ = ":";
  std::shared_ptr<LayerStore> layers_;
  std::unique_ptr<ProcessImageStore> store_;
};

TEST_F(ImageStoreTest, AnImageIsItsLayersTopmostFirst) {
  Open();
  EXPECT_FALSE(store_->Prepare(Attempt("lease-1")));
  const auto image = Await(Attempt("lease-1"));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->layers, (std::vector<std::string>{RootOf(2), RootOf(1)}));
  EXPECT_EQ(image->digest, NumberedDigest(1'000));
  EXPECT_EQ(image->environment, (std::vector<std::string>{"A=1"}));
  EXPECT_EQ(image->working_directory, "/w");
  EXPECT_TRUE(std::filesystem::exists(RootOf(1) + "/file"));
}

TEST_F(ImageStoreTest, ALayerHasTheListThatAProcessPrints) {
  plan_ = PlanOf({1});
  list_ = "echo noise >&2; printf 'the list'";
  Open();
  ASSERT_TRUE(Await(Attempt("lease-1")));
  const std::vector<LayerStore::Unpacked> all = layers_->All();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].list, "sha256:" + Sha256("the list"));
  EXPECT_EQ(all[0].bytes, 18) << "the list takes room, too";
  std::ifstream file(all[0].list_path);
  EXPECT_EQ((std::string{std::istreambuf_iterator<char>(file), {}}), "the list");
}

TEST_F(ImageStoreTest, ALayerWhoseFilesCannotBeListedIsNotKept) {
  list_ = "printf 'the beginning'; echo 'the disk fails' >&2; exit 1";
  Open();
  const auto image = Await(Attempt("lease-1"));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::kInternal);
  EXPECT_NE(image.error().message.find("the disk fails"), std::string::npos);
  EXPECT_EQ(layers_->size(), 0u);
}

TEST_F(ImageStoreTest, ADamagedLayerInUseIsAFaultOfTheHostUntilItIsUnused) {
  plan_ = PlanOf({1});
  Open();
  ASSERT_TRUE(Await(Attempt("lease-1")));
  ASSERT_EQ(store_->Held().size(), 1u);
  ASSERT_EQ(layers_->NoteDamage(layers_->All()[0]), LayerStore::Damage::kInUse);
  EXPECT_TRUE(store_->Held().empty()) << "it would attract jobs";
  const auto image = Await(Attempt("lease-2"));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::kInternal);
  EXPECT_NE(image.error().message.find("is damaged"), std::string::npos);
  store_->Release("lease-1");
  store_->Release("lease-2");
  ASSERT_TRUE(Await(Attempt("lease-3")));
  EXPECT_EQ(Calls(), (std::vector<std::string>{"unpack 1", "unpack 1"}));
}

TEST_F(ImageStoreTest, ADigestIsKnownBeforeTheLayersAreThere) {
  delay_ = "sleep 1000";
  Open();
  EXPECT_EQ(store_->DigestOf("lease-1"), "");
  EXPECT_FALSE(store_->Prepare(Attempt("lease-1")));
  pollfd event{store_->EventDescriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&event, 1, 30'000), 1);
  EXPECT_EQ(store_->DigestOf("lease-1"), NumberedDigest(1'000));
  EXPECT_FALSE(store_->Prepare(Attempt("lease-1")));
  store_->Release("lease-1");
  EXPECT_EQ(store_->DigestOf("lease-1"), "");
}

TEST_F(ImageStoreTest, ProgressCountsTheLayersThatTheUserHas) {
  plan_ = PlanOf({1});
  Open();
  EXPECT_EQ(store_->ProgressOf("lease-1"), StagingProgress{});
  ASSERT_TRUE(Await(Attempt("lease-1")));
  EXPECT_EQ(store_->ProgressOf("lease-1").layers, 1);
  plan_ = PlanOf({1, 2, 3});
  delay_ = "sleep 1000";
  EXPECT_FALSE(store_->Prepare(Attempt("lease-2")));
  EXPECT_TRUE(WaitUntil([&] { return store_->ProgressOf("lease-2").layers_total != 0; }));
  const StagingProgress progress = store_->ProgressOf("lease-2");
  EXPECT_EQ(progress,
            (StagingProgress{.bytes = 10, .bytes_total = 30, .layers = 1, .layers_total = 3}));
  store_->Release("lease-2");
  EXPECT_EQ(store_->ProgressOf("lease-2"), StagingProgress{});
}

TEST_F(ImageStoreTest, HeldImagesAreThoseWhoseLayersAreAllThere) {
  Open();
  EXPECT_TRUE(store_->Held().empty());
  ASSERT_TRUE(Await(Attempt("lease-1")));
  store_->Release("lease-1");
  ASSERT_TRUE(Await(Attempt("lease-2")));
  ASSERT_EQ(store_->Held().size(), 1u);
  HeldImage image = store_->Held()[0];
  EXPECT_EQ(image.name, "oci:/data/img");
  EXPECT_EQ(image.digest, NumberedDigest(1'000));
  EXPECT_EQ(image.bytes, 20);
  EXPECT_GT(image.used_at.ns, 0);
  EXPECT_EQ(image.keys, std::vector<std::string>{"lease-2"});
  Open();  // the agent starts again
  store_->Keep("lease-2", {RootOf(2), RootOf(1)});
  EXPECT_EQ(store_->Held()[0].keys, std::vector<std::string>{"lease-2"});
  store_->Release("lease-2");
  EXPECT_TRUE(store_->Held()[0].keys.empty());
  store_.reset();
  std::filesystem::remove_all(scratch_.In("images/layers/" + NumberedDigest(101).substr(7)));
  Open();
  EXPECT_TRUE(store_->Held().empty());
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.In("records")));
}

TEST_F(ImageStoreTest, ALayerThatComesTwiceIsStackedAtItsUpperPlace) {
  plan_ = PlanOf({1, 2, 1});
  Open();
  const auto image = Await(Attempt("lease-1"));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->layers, (std::vector<std::string>{RootOf(1), RootOf(2)}));
  EXPECT_EQ(Calls().size(), 2u);
}

TEST_F(ImageStoreTest, AttemptsAtTheSameTimeUnpackALayerOnce) {
  delay_ = "sleep 0.2";
  Open();
  for (const char* key : {"lease-1", "lease-2", "lease-3", "lease-4", "lease-5", "lease-6"})
    EXPECT_FALSE(store_->Prepare(Attempt(key)));
  for (const char* key : {"lease-1", "lease-2", "lease-3", "lease-4", "lease-5", "lease-6"})
    EXPECT_TRUE(Await(Attempt(key)));
  EXPECT_EQ(Calls().size(), 2u);
}

TEST_F(ImageStoreTest, ImagesShareTheirBase) {
  Open();
  for (int top = 2; top <= 101; ++top) {
    plan_ = PlanOf({1, top});
    const std::string key = "lease-" + std::to_string(top);
    ASSERT_TRUE(Await(Attempt(key)));
    store_->Release(key);
  }
  EXPECT_EQ(Calls().size(), 101u);
}

TEST_F(ImageStoreTest, AnotherUserShowsTheContentOnce) {
  Open();
  ASSERT_TRUE(Await(Attempt("lease-1", 1'000)));
  ASSERT_TRUE(Await(Attempt("lease-2", 1'001)));
  ASSERT_TRUE(Await(Attempt("lease-3", 1'001)));
  EXPECT_EQ(Calls(), (std::vector<std::string>{"unpack 1", "unpack 2", "check 1", "check 2"}));
}

TEST_F(ImageStoreTest, AUserWhoHasOtherContentGetsNothing) {
  Open();
  ASSERT_TRUE(Await(Attempt("lease-1", 1'000)));
  plan_ = PlanOf({});
  plan_->layers = {{NumberedDigest(7), NumberedDigest(101),
                    10}};  // the archive of another's layer, by its digest
  const auto image = Await(Attempt("lease-2", 1'001));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(image.error().message.find("other content"), std::string::npos);
}

TEST_F(ImageStoreTest, WhatIsNotAsTheManifestSaysIsNotKept) {
  for (const auto& [digest, diff_id] : {std::pair(NumberedDigest(1), NumberedDigest(5)),
                                        std::pair(NumberedDigest(5), NumberedDigest(101))}) {
    answers_.insert_or_assign(NumberedDigest(1), UnpackedLayer{digest, diff_id, 10, 1});
    Open();
    const auto image = Await(Attempt("lease-1"));
    ASSERT_FALSE(image);
    EXPECT_EQ(image.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(std::filesystem::exists(RootOf(1)));
    EXPECT_TRUE(std::filesystem::is_empty(scratch_.In("images/building")));
  }
}

TEST_F(ImageStoreTest, ALargeLayerGetsMoreRoomAndABombEndsThere) {
  answers_.emplace(NumberedDigest(1), Fail(Error{ErrorCode::kResourceExhausted, "no room"}));
  plan_->layers[0].bytes = 10 << 20;
  Open(int64_t{1} << 40);
  const auto image = Await(Attempt("lease-1"));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::kInvalidArgument) << image.error().message;
  EXPECT_NE(image.error().message.find("256 times"), std::string::npos);
  EXPECT_EQ(Calls().size(), 3u);
}

TEST_F(ImageStoreTest, WithoutRoomNothingIsUnpacked) {
  answers_.emplace(NumberedDigest(1),
                   UnpackedLayer{NumberedDigest(1), NumberedDigest(101), 1 << 20, 1});
  Open(1 << 20);
  const auto image = Await(Attempt("lease-1"));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(Calls(), (std::vector<std::string>{"unpack 1"}));
  plan_->layers[0].bytes = (1 << 20) + 1;
  plan_->layers[0].diff_id = NumberedDigest(300);
  EXPECT_EQ(Await(Attempt("lease-2")).error().code, ErrorCode::kInvalidArgument) << "it never fits";
}

TEST_F(ImageStoreTest, ErrorsOfTheImageAndOfTheHostAreTold) {
  plan_ = Fail(InvalidArgument("no tag v1"));
  Open();
  const auto image = Await(Attempt("lease-1"));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(image.error().message, "no tag v1");
  plan_ = PlanOf({1});
  delay_ = "exit 3";
  const auto other = Await(Attempt("lease-2"));
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kInternal);
}

TEST_F(ImageStoreTest, OneThatIsReleasedIsPreparedAgain) {
  delay_ = "sleep 0.1";
  Open();
  EXPECT_FALSE(store_->Prepare(Attempt("lease-1")));
  store_->Release("lease-1");
  const auto image = Await(Attempt("lease-1"));
  EXPECT_TRUE(image) << image.error().message;
}

// Else the agent would look again and again at what nobody waits for.
TEST_F(ImageStoreTest, OneThatIsReleasedWakesNobody) {
  delay_ = "sleep 100";
  Open();
  EXPECT_FALSE(store_->Prepare(Attempt("lease-1")));
  poll(nullptr, 0, 100);
  store_->ClearEvents();  // its digest was known
  store_->Release("lease-1");
  pollfd event{store_->EventDescriptor(), POLLIN, 0};
  EXPECT_EQ(poll(&event, 1, 300), 0);
}

TEST_F(ImageStoreTest, OneThatIsReleasedStopsAtOnce) {
  delay_ = "sleep 100";
  Open();
  EXPECT_FALSE(store_->Prepare(Attempt("lease-1")));
  poll(nullptr, 0, 100);
  store_->Release("lease-1");
  delay_ = ":";
  EXPECT_TRUE(Await(Attempt("lease-2")));
}

TEST_F(ImageStoreTest, ItEndsWhileItWorks) {
  delay_ = "sleep 100";
  Open();
  for (int i = 0; i < 8; ++i) EXPECT_FALSE(store_->Prepare(Attempt("lease-" + std::to_string(i))));
  poll(nullptr, 0, 100);
  store_.reset();
}

}  // namespace
}  // namespace gp
