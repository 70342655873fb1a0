#include "adapters/outbound/images/files/converted_images.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "adapters/outbound/images/image_answers.h"
#include "adapters/outbound/images/process_image_store.h"
#include "tests/support/scratch.h"
#include "tests/unit/adapters/images/numbered.h"

namespace gp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const ImagePlan kPlan{.digest = NumberedDigest(1'000),
                      .manifest = NumberedDigest(1'000),
                      .layers = {{NumberedDigest(101), NumberedDigest(101), 10}},
                      .environment = {"A=1"}};

TEST(ConvertedImages, APlanIsThatOfAUserAndAFile) {
  const Scratch scratch;
  const ConvertedImages images(scratch.In("converted"));
  EXPECT_EQ(images.Find(7, "file"), std::nullopt);
  images.Note(7, "file", kPlan);
  EXPECT_EQ(images.Find(7, "file"), kPlan);
  EXPECT_EQ(ConvertedImages(scratch.In("converted")).Find(7, "file"), kPlan) << "after a restart";
  EXPECT_EQ(images.Find(8, "file"), std::nullopt);
  EXPECT_EQ(images.Find(7, "changed"), std::nullopt);
}

TEST(ConvertedImages, WhatIsDamagedIsNoPlan) {
  const Scratch scratch;
  const ConvertedImages images(scratch.In("converted"));
  images.Note(7, "file", kPlan);
  const auto path = std::filesystem::directory_iterator(scratch.In("converted"))->path();
  std::ofstream(path, std::ios::trunc) << R"({"digest": "sha256:1"})";
  EXPECT_EQ(images.Find(7, "file"), std::nullopt);
}

TEST(ConvertedImages, OfTooManyTheLongestUnusedIsDropped) {
  const Scratch scratch;
  const ConvertedImages images(scratch.In("converted"));
  images.Note(7, "used", kPlan);
  images.Note(7, "unused", kPlan);
  for (const auto& entry : std::filesystem::directory_iterator(scratch.In("converted"))) {
    const timespec old[] = {{1'000, 0}, {1'000, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, entry.path().c_str(), old, 0), 0);
  }
  EXPECT_NE(images.Find(7, "used"), std::nullopt);
  for (size_t i = 1; i < ConvertedImages::kMaxOfUser; ++i) images.Note(7, std::to_string(i), kPlan);
  EXPECT_NE(images.Find(7, "used"), std::nullopt);
  EXPECT_EQ(images.Find(7, "unused"), std::nullopt);
}

TEST(ConvertedImages, OneUserDropsThoseOfNoOther) {
  const Scratch scratch;
  const ConvertedImages images(scratch.In("converted"));
  images.Note(7, "file", kPlan);
  for (size_t i = 0; i < 2 * ConvertedImages::kMaxOfUser; ++i)
    images.Note(8, std::to_string(i), kPlan);
  EXPECT_NE(images.Find(7, "file"), std::nullopt);
}

class SquashfsFiles : public testing::Test {
 protected:
  void Open() {
    store_.reset();
    auto layers =
        LayerStore::Open(scratch_.In("images"), {.bytes_max = 1 << 30, .free_percent_min = 0});
    ASSERT_TRUE(layers);
    ProcessImageStore::Options options;
    options.converted_directory = scratch_.In("images/converted");
    options.identify = [this](const LaunchSpec&) { return Does(":", AnswerText(identity_)); };
    options.convert = [this](const LaunchSpec&, const std::string& identity) {
      return Does("echo convert " + identity + " >> " + scratch_.In("calls") + "; sleep 0.1",
                  AnswerText(plan_));
    };
    options.unpack = [this](const LaunchSpec&, const LayerTask& task) {
      return Does(std::string("echo ") + (task.is_check ? "check" : "unpack") + " >> " +
                      scratch_.In("calls"),
                  AnswerText(Result<UnpackedLayer>(UnpackedLayer{
                      converted_to_.empty() ? task.layer.digest : converted_to_,
                      converted_to_.empty() ? task.layer.digest : converted_to_, 10, 1})));
    };
    store_ =
        std::make_unique<ProcessImageStore>(std::move(options), *std::move(layers),
                                            std::make_unique<ImageRecords>(scratch_.In("records")));
  }
  static std::vector<std::string> Does(const std::string& script, const std::string& answer) {
    return {"/bin/sh", "-c", script + "; printf %s \"$1\"", "sh", answer};
  }
  static LaunchSpec Attempt(const std::string& key, uint32_t uid = 1'000) {
    LaunchSpec spec;
    spec.key = key;
    spec.uid = uid;
    spec.layered_image =
        LayeredImage{.source = ImageReference::Source::kSquashfs, .path = "/data/a.sqsh"};
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

  Scratch scratch_;
  Result<std::string> identity_ = "one";
  std::string converted_to_;  // digest of what the tool makes now; empty: as planned
  Result<ImagePlan> plan_ = kPlan;
  std::unique_ptr<ProcessImageStore> store_;
};

TEST_F(SquashfsFiles, AnUnchangedFileIsConvertedOnce) {
  Open();
  const auto image = Await(Attempt("lease-1"));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->digest, kPlan.digest);
  EXPECT_EQ(image->environment, kPlan.environment);
  EXPECT_THAT(TakeCalls(), ElementsAre("convert one", "unpack"));
  ASSERT_TRUE(Await(Attempt("lease-2")));
  Open();
  ASSERT_TRUE(Await(Attempt("lease-3")));
  EXPECT_THAT(TakeCalls(), IsEmpty()) << "after a restart neither";
  identity_ = "two";
  ASSERT_TRUE(Await(Attempt("lease-4")));
  EXPECT_THAT(TakeCalls(), ElementsAre("convert two"));
}

TEST_F(SquashfsFiles, WhatAToolOfAnotherVersionMadeIsConvertedAgain) {
  Open();
  ASSERT_TRUE(Await(Attempt("lease-1")));
  TakeCalls();
  store_.reset();
  std::filesystem::remove_all(scratch_.In("images/layers"));
  converted_to_ = NumberedDigest(77);
  plan_->layers[0].digest = plan_->layers[0].diff_id = converted_to_;
  Open();
  const auto image = Await(Attempt("lease-2"));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_THAT(TakeCalls(), ElementsAre("unpack", "convert one", "unpack"));
}

TEST_F(SquashfsFiles, AttemptsAtTheSameTimeConvertOnce) {
  Open();
  EXPECT_FALSE(store_->Prepare(Attempt("lease-1")));
  EXPECT_FALSE(store_->Prepare(Attempt("lease-2")));
  ASSERT_TRUE(Await(Attempt("lease-1")));
  ASSERT_TRUE(Await(Attempt("lease-2")));
  EXPECT_THAT(TakeCalls(), ElementsAre("convert one", "unpack"));
}

TEST_F(SquashfsFiles, EachUserShowsTheFile) {
  Open();
  ASSERT_TRUE(Await(Attempt("lease-1")));
  TakeCalls();
  ASSERT_TRUE(Await(Attempt("lease-2", 1'001)));
  EXPECT_THAT(TakeCalls(), ElementsAre("convert one", "check"));
}

TEST_F(SquashfsFiles, ADigestThatTheJobHasMustBeTheFiles) {
  Open();
  ASSERT_TRUE(Await(Attempt("lease-1")));
  LaunchSpec spec = Attempt("lease-2");
  spec.layered_image->digest = NumberedDigest(7);
  const auto image = Await(spec);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(image.error().message, HasSubstr("written again since"));
  spec = Attempt("lease-3");
  spec.layered_image->digest = kPlan.digest;
  EXPECT_TRUE(Await(spec));
}

TEST_F(SquashfsFiles, WhatCannotBeReadIsAskedForAgain) {
  Open();
  identity_ = Fail(InvalidArgument("it is not there"));
  EXPECT_EQ(Await(Attempt("lease-1")).error().message, "it is not there");
  identity_ = "one";
  plan_ = Fail(InvalidArgument("it is damaged"));
  EXPECT_EQ(Await(Attempt("lease-2")).error().message, "it is damaged");
  plan_ = kPlan;
  EXPECT_TRUE(Await(Attempt("lease-3")));
  EXPECT_THAT(TakeCalls(), ElementsAre("convert one", "convert one", "unpack"));
}

}  // namespace
}  // namespace gp
