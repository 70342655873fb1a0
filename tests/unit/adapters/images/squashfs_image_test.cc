#include "adapters/outbound/images/files/squashfs_image.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lib/secrets/secrets.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SquashfsImages : public testing::Test {
 protected:
  void Write(const std::string& name, const std::string& content) {
    std::ofstream(scratch_.In(name), std::ios::trunc) << content;
  }
  // False: this host has no program for it.
  bool Pack() {
    const std::string command = "mksquashfs " + scratch_.In("root") + " " + path_ +
                                " -noappend -quiet -no-progress > /dev/null 2>&1";
    return TrySquashfs().has_value() && std::system(command.c_str()) == 0;  // NOLINT: one thread
  }
  LayeredImage Image() const {
    return {.source = ImageReference::Source::kSquashfs, .path = path_};
  }

  Scratch scratch_;
  const std::string path_ = scratch_.In("a.sqsh");
};

TEST_F(SquashfsImages, TheIdentityChangesWithTheFile) {
  Write("a.sqsh", "hsqs 1");
  const auto first = IdentityOf(path_);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(IdentityOf(path_), first);
  const struct timespec times[] = {{1'000, 1}, {1'000, 1}};
  ASSERT_EQ(utimensat(AT_FDCWD, path_.c_str(), times, 0), 0);
  const auto second = IdentityOf(path_);
  EXPECT_NE(second, first);
  Write("b.sqsh", "hsqs 2");
  std::filesystem::rename(scratch_.In("b.sqsh"), path_);
  EXPECT_NE(IdentityOf(path_), second);
}

TEST_F(SquashfsImages, WhatIsNoneIsRefused) {
  EXPECT_THAT(IdentityOf(path_).error().message, HasSubstr("No such file"));
  EXPECT_THAT(IdentityOf(scratch_.path()).error().message, HasSubstr("is no regular file"));
  Write("a.sqsh", "hsq");
  EXPECT_THAT(IdentityOf(path_).error().message, HasSubstr("is no squashfs file"));
}

TEST_F(SquashfsImages, AFileThatChangesIsRefused) {
  Write("a.sqsh", "hsqs");
  const auto plan = ReadSquashfs(Image(), "of another file", "amd64");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(plan.error().message, HasSubstr("changes while it is read"));
}

TEST_F(SquashfsImages, TheDigestOfTheJobIsChecked) {
  LayeredImage image = Image();
  const ImagePlan plan{.digest = "sha256:1"};
  EXPECT_TRUE(CheckImageDigest(image, plan));
  image.digest = "sha256:1";
  EXPECT_TRUE(CheckImageDigest(image, plan));
  image.digest = "sha256:2";
  EXPECT_THAT(CheckImageDigest(image, plan).error().message,
              HasSubstr("has the digest sha256:1, not sha256:2"));
}

TEST_F(SquashfsImages, OneLayerAndTheEnvironmentAreRead) {
  std::filesystem::create_directories(scratch_.In("root/etc"));
  Write("root/etc/environment", "# a comment\nA=1\nB=\"x y\"\nC=\"\nnone\n=1\n");
  if (!Pack()) GTEST_SKIP() << "squashfs-tools or squashfs-tools-ng is not installed";
  const auto plan = ReadSquashfs(Image(), *IdentityOf(path_), "amd64");
  ASSERT_TRUE(plan) << plan.error().message;
  std::ifstream file(path_);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(plan->digest, "sha256:" + Sha256(content));
  ASSERT_EQ(plan->layers.size(), 1U);
  EXPECT_EQ(plan->layers[0].digest, plan->layers[0].diff_id);
  EXPECT_GT(plan->layers[0].bytes, 0);
  EXPECT_THAT(plan->environment, ElementsAre("A=1", "B=x y", "C=\""));
  EXPECT_EQ(*ReadSquashfs(Image(), *IdentityOf(path_), "amd64"), *plan) << "each time the same";
}

TEST_F(SquashfsImages, WithoutAnEnvironmentThereIsNone) {
  std::filesystem::create_directories(scratch_.In("root/etc/environment"));
  if (!Pack()) GTEST_SKIP() << "squashfs-tools or squashfs-tools-ng is not installed";
  const auto plan = ReadSquashfs(Image(), *IdentityOf(path_), "amd64");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(plan->environment.empty());
}

TEST_F(SquashfsImages, OneThatUnpacksToTooMuchIsRefused) {
  std::filesystem::create_directories(scratch_.In("root"));
  Write("root/zeros", "");
  std::filesystem::resize_file(scratch_.In("root/zeros"), 64 << 20);
  if (!Pack()) GTEST_SKIP() << "squashfs-tools or squashfs-tools-ng is not installed";
  const auto plan = ReadSquashfs(Image(), *IdentityOf(path_), "amd64");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(plan.error().message, HasSubstr("more than 256 times as large"));
}

}  // namespace
}  // namespace gp
