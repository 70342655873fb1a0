// Images of registries: what the store asks of the processes that read, pull and unpack them.

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "adapters/outbound/images/image_answers.h"
#include "adapters/outbound/images/process_image_store.h"
#include "tests/support/scratch.h"
#include "tests/support/wait_until.h"
#include "tests/unit/adapters/images/numbered.h"

namespace gp {
namespace {

constexpr uint32_t kUser = 1'000;
constexpr uint32_t kOtherUser = 1'001;

class PulledImages : public testing::Test {
 protected:
  void Open(int64_t bytes_max = 1 << 30, Duration access_lasts = Duration::Minutes(10)) {
    auto layers =
        LayerStore::Open(scratch_.In("images"), {.bytes_max = bytes_max, .free_percent_min = 0});
    ASSERT_TRUE(layers);
    ProcessImageStore::Options options;
    options.pull_directory = scratch_.In("pulls");
    options.access_lasts = access_lasts;
    options.images_per_user_max = images_per_user_max_;
    options.discard = [](const std::string& path, PullDirectory::Owner) {
      return std::vector<std::string>{"/bin/sh", "-c", "rm -rf \"$1\"/*", "sh", path};
    };
    options.read = [this](const LaunchSpec& spec) {
      return Does("read " + std::to_string(spec.uid), AnswerText(plan_));
    };
    options.identify = [this](const LaunchSpec& spec) {
      return Does("ask " + spec.layered_image->tag, AnswerText(tagged_),
                  "echo " + spec.key + " >> " + scratch_.In("askers") + "; " + asking_);
    };
    options.pull = [this](const LaunchSpec& spec, const PullTask& task) {
      std::string what = "pull";
      for (const LayerPlan& layer : plan_->layers) {
        if (std::ranges::find(task.present, layer.digest) == task.present.end())
          what += " " + std::to_string(NumberOf(layer.digest));
      }
      pulled_into_ = spec.layered_image->path;
      present_ = task.present;
      return Does(what + " of " + std::to_string(NumberOf(task.manifest)) + " with " +
                      std::to_string(task.bytes),
                  AnswerText(pulled_), "cat > " + scratch_.In("input") + "; " + delay_);
    };
    options.unpack = [this](const LaunchSpec&, const LayerTask& task) {
      const UnpackedLayer layer{task.layer.digest,
                                NumberedDigest(NumberOf(task.layer.digest) + 100), 10, 1};
      return Does(
          (task.is_check ? "check " : "unpack ") + std::to_string(NumberOf(task.layer.digest)),
          AnswerText(Result<UnpackedLayer>(layer)));
    };
    store_ =
        std::make_unique<ProcessImageStore>(std::move(options), *std::move(layers),
                                            std::make_unique<ImageRecords>(scratch_.In("records")));
  }
  // A command that is noted, and prints this answer after `script`.
  std::vector<std::string> Does(const std::string& what, const std::string& answer,
                                const std::string& script = ":") const {
    return {"/bin/sh", "-c",
            "echo " + what + " >> " + scratch_.In("calls") + "; " + script + "; printf %s \"$1\"",
            "sh", answer};
  }
  static LaunchSpec Attempt(const std::string& key, uint32_t uid = kUser) {
    LaunchSpec spec;
    spec.key = key;
    spec.uid = uid;
    spec.layered_image = LayeredImage{.source = ImageReference::Source::kRegistry,
                                      .repository = "reg.lab/a",
                                      .digest = NumberedDigest(1'000)};
    return spec;
  }
  static LaunchSpec Tagged(const std::string& key, const std::string& tag) {
    LaunchSpec spec = Attempt(key);
    spec.layered_image->digest.clear();
    spec.layered_image->tag = tag;
    return spec;
  }
  Result<UnpackedImage> Await(const LaunchSpec& spec) { return AwaitImage(*store_, spec); }
  std::vector<std::string> TakeCalls() const {
    std::vector<std::string> calls;
    std::ifstream file(scratch_.In("calls"));
    for (std::string line; std::getline(file, line);) calls.push_back(line);
    std::filesystem::remove(scratch_.In("calls"));
    return calls;
  }
  using Calls = std::vector<std::string>;

  Scratch scratch_;
  Result<ImagePlan> plan_ = ImagePlan{.digest = NumberedDigest(1'000),
                                      .manifest = NumberedDigest(1'001),
                                      .layers = {{NumberedDigest(1), NumberedDigest(101), 10},
                                                 {NumberedDigest(2), NumberedDigest(102), 30}}};
  Result<std::string> tagged_ = NumberedDigest(1'000);
  std::string asking_ = ":";  // what takes the time of a question
  Status pulled_ = Ok();
  std::string delay_ = ":";
  size_t images_per_user_max_ = 8;
  std::string pulled_into_;
  std::vector<std::string> present_;  // layers that were not pulled the last time
  std::unique_ptr<ProcessImageStore> store_;
};

TEST_F(PulledImages, ProgressCountsWhatIsPulled) {
  delay_ = "echo pulled 7; echo pulled 25; echo pulled -3; sleep 1000";
  Open();
  EXPECT_FALSE(store_->Prepare(Attempt("lease-1")));
  EXPECT_TRUE(WaitUntil([&] { return store_->ProgressOf("lease-1").bytes >= 25; }));
  EXPECT_EQ(store_->ProgressOf("lease-1"),
            (StagingProgress{.bytes = 25, .bytes_total = 40, .layers_total = 2}));
  store_->Release("lease-1");
}

TEST_F(PulledImages, TheAnswerStandsBehindTheLinesOfProgress) {
  delay_ = "echo pulled 39; echo pulled 41";
  Open();
  ASSERT_TRUE(Await(Attempt("lease-1")));
  EXPECT_EQ(store_->ProgressOf("lease-1").bytes, 40);
  EXPECT_EQ(store_->ProgressOf("lease-1").layers, 2);
  plan_->manifest = NumberedDigest(1'005);
  plan_->layers.push_back({NumberedDigest(3), NumberedDigest(103), 30});
  plan_->digest = NumberedDigest(1'006);
  pulled_ = Fail(InvalidArgument("not for you"));
  LaunchSpec other = Attempt("lease-2");
  other.layered_image->digest = plan_->digest;
  const auto refused = Await(other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "not for you");
}

TEST_F(PulledImages, LayersThatAreMissingArePulledAtOnceAndUnpacked) {
  Open();
  ASSERT_TRUE(Await(Attempt("lease-1")));
  EXPECT_EQ(TakeCalls(), (Calls{"read 1000", "pull 1 2 of 1001 with 40", "unpack 1", "unpack 2"}));
  EXPECT_TRUE(pulled_into_.starts_with(scratch_.In("pulls/lease-1-"))) << pulled_into_;
  EXPECT_FALSE(std::filesystem::exists(pulled_into_));
  plan_->manifest = NumberedDigest(1'002);
  plan_->digest = NumberedDigest(1'003);
  plan_->layers.push_back({NumberedDigest(3), NumberedDigest(103), 20});
  LaunchSpec other = Attempt("lease-2");
  other.layered_image->digest = NumberedDigest(1'003);
  ASSERT_TRUE(Await(other));
  EXPECT_EQ(TakeCalls(), (Calls{"read 1000", "pull 3 of 1002 with 20", "unpack 3"}));
}

TEST_F(PulledImages, AttemptsAtTheSameTimePullOnce) {
  delay_ = "sleep 0.2";
  Open();
  for (int i = 0; i < 6; ++i) EXPECT_FALSE(store_->Prepare(Attempt("lease-" + std::to_string(i))));
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(Await(Attempt("lease-" + std::to_string(i))));
  const Calls calls = TakeCalls();
  EXPECT_EQ(std::ranges::count_if(calls, [](auto& call) { return call.starts_with("pull"); }), 1);
}

TEST_F(PulledImages, TheRegistryIsAskedAgainAfterAWhileAndForEachUser) {
  Open(1 << 30, Duration::Milliseconds(300));
  ASSERT_TRUE(Await(Attempt("lease-1")));
  TakeCalls();
  ASSERT_TRUE(Await(Attempt("lease-2")));
  EXPECT_EQ(TakeCalls(), Calls{});
  ASSERT_TRUE(Await(Attempt("lease-3", kOtherUser)));
  EXPECT_EQ(TakeCalls(), (Calls{"read 1001", "pull 1 2 of 1001 with 40", "check 1", "check 2"}));
  poll(nullptr, 0, 400);
  ASSERT_TRUE(Await(Attempt("lease-4")));
  EXPECT_EQ(TakeCalls(), (Calls{"read 1000"}));
}

TEST_F(PulledImages, ALayerThatComesTwiceIsNamedOnce) {
  Open();
  ASSERT_TRUE(Await(Attempt("lease-1")));
  TakeCalls();
  plan_->layers = {{NumberedDigest(1), NumberedDigest(101), 10},
                   {NumberedDigest(3), NumberedDigest(103), 20},
                   {NumberedDigest(1), NumberedDigest(101), 10},
                   {NumberedDigest(3), NumberedDigest(103), 20}};
  ASSERT_TRUE(Await(Tagged("lease-2", "v2")));
  EXPECT_EQ(present_.size(), 1u);
  EXPECT_EQ(TakeCalls(), (Calls{"ask v2", "read 1000", "pull 3 3 of 1001 with 20", "unpack 3"}));
}

TEST_F(PulledImages, OneUsersSlowRegistryDoesNotKeepOthersWaiting) {
  delay_ = "sleep 100";
  Open();
  for (int i = 0; i < 40; ++i) EXPECT_FALSE(store_->Prepare(Attempt("lease-" + std::to_string(i))));
  poll(nullptr, 0, 300);
  delay_ = ":";
  EXPECT_TRUE(Await(Attempt("other", kOtherUser)));
}

TEST_F(PulledImages, OtherCredentialsAskAnew) {
  Open();
  LaunchSpec spec = Attempt("lease-1");
  spec.image_credentials = "ana:secret";
  ASSERT_TRUE(Await(spec));
  std::ifstream input(scratch_.In("input"));
  std::string line;
  std::getline(input, line);
  EXPECT_EQ(line, R"({"auths":{"reg.lab":{"auth":"YW5hOnNlY3JldA=="}}})");
  TakeCalls();
  spec.key = "lease-2";
  ASSERT_TRUE(Await(spec));
  EXPECT_EQ(TakeCalls(), Calls{});
  ASSERT_TRUE(Await(Attempt("lease-3")));
  EXPECT_EQ(TakeCalls(), (Calls{"read 1000"}));
  spec.key = "lease-4";
  spec.image_credentials = "secret";
  const auto image = Await(spec);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(PulledImages, ATagIsAlwaysAsked) {
  Open();
  ASSERT_TRUE(Await(Tagged("lease-1", "v1")));
  EXPECT_EQ(TakeCalls(),
            (Calls{"ask v1", "read 1000", "pull 1 2 of 1001 with 40", "unpack 1", "unpack 2"}));
  ASSERT_TRUE(Await(Tagged("lease-2", "v1")));
  EXPECT_EQ(TakeCalls(), (Calls{"ask v1"})) << "what it names was read before";
  tagged_ = plan_->digest = NumberedDigest(1'010);
  const auto moved = Await(Tagged("lease-3", "v1"));
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->digest, NumberedDigest(1'010));
  EXPECT_EQ(TakeCalls(), (Calls{"ask v1", "read 1000"}));
}

// The host's policy may permit a digest by one tag, and not by another.
TEST_F(PulledImages, WhatOneTagHasServedIsReadForAnotherOne) {
  Open();
  ASSERT_TRUE(Await(Tagged("lease-1", "v1")));
  TakeCalls();
  ASSERT_TRUE(Await(Tagged("lease-2", "v2")));
  EXPECT_EQ(TakeCalls(), (Calls{"ask v2", "read 1000"}));
  ASSERT_TRUE(Await(Attempt("lease-3")));
  EXPECT_EQ(TakeCalls(), (Calls{"read 1000"}));
}

TEST_F(PulledImages, OneQuestionServesAllWhoHaveComeBeforeIt) {
  asking_ = "sleep 1";
  Open();
  ASSERT_FALSE(store_->Prepare(Tagged("first", "v1")));
  const auto has_asked = [this] { return std::filesystem::exists(scratch_.In("calls")); };
  EXPECT_TRUE(WaitUntil([&] { return has_asked(); }));
  for (int i = 0; i < 6; ++i)
    EXPECT_FALSE(store_->Prepare(Tagged("lease-" + std::to_string(i), "v1")));
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(Await(Tagged("lease-" + std::to_string(i), "v1")));
  EXPECT_TRUE(Await(Tagged("first", "v1")));
  const Calls calls = TakeCalls();
  const auto asked = std::ranges::count(calls, "ask v1");
  EXPECT_EQ(std::ranges::count(calls, "read 1000"), 1);
  EXPECT_GE(asked, 2) << "the first question was asked before the others came";
  EXPECT_LE(asked, 4);
}

TEST_F(PulledImages, WhoIsStoppedWhileAskingAnswersNobody) {
  asking_ = "sleep 1";
  Open();
  const auto askers = [this] {
    std::ifstream file(scratch_.In("askers"));
    return std::vector<std::string>{std::istream_iterator<std::string>(file), {}};
  };
  ASSERT_FALSE(store_->Prepare(Tagged("first", "v1")));
  EXPECT_TRUE(WaitUntil([&] { return !askers().empty(); }));
  for (const char* key : {"a", "b"}) EXPECT_FALSE(store_->Prepare(Tagged(key, "v1")));
  EXPECT_TRUE(WaitUntil([&] { return askers().size() >= 2; }));
  ASSERT_EQ(askers().size(), 2u);
  const std::string stopped = askers()[1];
  store_->Release(stopped);
  EXPECT_TRUE(Await(Tagged(stopped == "a" ? "b" : "a", "v1")));
}

TEST_F(PulledImages, WithoutRoomNothingIsPulled) {
  Open(100);
  plan_->layers[0].bytes = 80;
  const auto image = Await(Attempt("lease-1"));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::kInvalidArgument) << "it never fits";
  EXPECT_EQ(TakeCalls(), (Calls{"read 1000"}));
}

TEST_F(PulledImages, APullThatFailsIsToldAndTheNextOnePulls) {
  pulled_ = Fail(InvalidArgument("manifest unknown"));
  Open();
  const auto image = Await(Attempt("lease-1"));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(image.error().message, "manifest unknown");
  pulled_ = Ok();
  EXPECT_TRUE(Await(Attempt("lease-2")));
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.In("pulls")));
}

TEST_F(PulledImages, OneThatIsReleasedWaitsForNoTurn) {
  images_per_user_max_ = 2;
  delay_ = "sleep 100";
  Open();
  EXPECT_FALSE(store_->Prepare(Attempt("lease-1")));
  poll(nullptr, 0, 300);
  EXPECT_FALSE(store_->Prepare(Attempt("lease-2")));  // has its turn after it
  poll(nullptr, 0, 300);
  delay_ = ":";
  plan_->manifest = NumberedDigest(1'002);
  plan_->digest = NumberedDigest(1'003);
  LaunchSpec other = Attempt("lease-3");
  other.layered_image->digest = NumberedDigest(1'003);
  EXPECT_FALSE(store_->Prepare(other));  // the user has two images in work
  store_->Release("lease-2");
  EXPECT_TRUE(Await(other));
}

TEST_F(PulledImages, WhatAnEarlierAgentLeftIsRemovedMeanwhile) {
  std::filesystem::create_directories(scratch_.In("pulls/lease-0-abc/blobs"));
  Open();
  EXPECT_TRUE(
      WaitUntil([&] { return !std::filesystem::exists(scratch_.In("pulls/lease-0-abc")); }));
}

}  // namespace
}  // namespace gp
