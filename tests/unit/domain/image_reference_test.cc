#include "domain/model/jobs/image_reference.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

using Source = ImageReference::Source;

const std::string kDigest = "sha256:" + std::string(64, 'a');

TEST(ImageReference, EachFormIsRead) {
  const std::pair<std::string, ImageReference> forms[] = {
      {"dir:/data/root", {Source::kDirectory, "/data/root", "", ""}},
      {"dir:/data/a:b@c", {Source::kDirectory, "/data/a:b@c", "", ""}},
      {"oci:/data/img", {Source::kLayout, "/data/img", "", ""}},
      {"oci:/data/img:v1.2-cuda_12", {Source::kLayout, "/data/img", "v1.2-cuda_12", ""}},
      {"oci:/data/img:ana/train:v1", {Source::kLayout, "/data/img", "ana/train:v1", ""}},
      {"oci:/data/img@" + kDigest, {Source::kLayout, "/data/img", "", kDigest}},
      {"oci:/data/img:v1@" + kDigest, {Source::kLayout, "/data/img", "v1", kDigest}}};
  for (const auto& [text, expected] : forms) {
    const auto image = ParseImageReference(text);
    ASSERT_TRUE(image) << text;
    EXPECT_EQ(*image, expected) << text;
    EXPECT_EQ(HasLayers(text), expected.source == Source::kLayout) << text;
  }
}

TEST(ImageReference, WhatIsNoneIsRefusedWithItsText) {
  for (const std::string& text :
       {std::string("pytorch:2"), std::string("oci:data"), std::string("oci:/a:"),
        std::string("oci:/a:v 1"), "oci:/a:" + std::string(256, 'v'), "oci:/a@" + kDigest + "0",
        "oci:/a@SHA256:" + std::string(64, 'a'), "oci:/a@sha256:" + std::string(64, 'A'),
        std::string("oci:/a/../b"), std::string("oci:"), std::string("dir:"), std::string("")}) {
    const auto image = ParseImageReference(text);
    ASSERT_FALSE(image) << text;
    EXPECT_EQ(image.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(HasLayers(text)) << text;
  }
}

}  // namespace
}  // namespace gp
