#include "domain/model/jobs/image_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using testing::HasSubstr;
using Source = ImageReference::Source;

const std::string kDigest = "sha256:" + std::string(64, 'a');

TEST(ImageReference, EachFormIsRead) {
  const std::pair<std::string, ImageReference> forms[] = {
      {"dir:/data/root", {.path = "/data/root"}},
      {"dir:/data/a:b@c", {.path = "/data/a:b@c"}},
      {"oci:/data/img", {Source::kLayout, "/data/img", "", "", ""}},
      {"oci:/data/img:v1.2-cuda_12", {Source::kLayout, "/data/img", "", "v1.2-cuda_12", ""}},
      {"oci:/data/img:ana/train:v1", {Source::kLayout, "/data/img", "", "ana/train:v1", ""}},
      {"oci:/data/img@" + kDigest, {Source::kLayout, "/data/img", "", "", kDigest}},
      {"oci:/data/img:v1@" + kDigest, {Source::kLayout, "/data/img", "", "v1", kDigest}},
      {"docker-archive:/a.tar", {Source::kDockerArchive, "/a.tar", "", "", ""}},
      {"docker-archive:/a.tar:ana/train:v1@" + kDigest,
       {Source::kDockerArchive, "/a.tar", "", "ana/train:v1", kDigest}},
      {"oci-archive:/a.tar:v1", {Source::kOciArchive, "/a.tar", "", "v1", ""}},
      {"/data/x.sqsh", {Source::kSquashfs, "/data/x.sqsh", "", "", ""}},
      {"/data/x.sqfs@" + kDigest, {Source::kSquashfs, "/data/x.sqfs", "", "", kDigest}},
      {"/data/a:b.squashfs", {Source::kSquashfs, "/data/a:b.squashfs", "", "", ""}},
      {"squashfs:/data/x", {Source::kSquashfs, "/data/x", "", "", ""}},
      {"docker://reg.lab/x.sqsh", {Source::kRegistry, "", "reg.lab/x.sqsh", "latest", ""}},
      {"python", {Source::kRegistry, "", "docker.io/library/python", "latest", ""}},
      {"pytorch/pytorch:2.5", {Source::kRegistry, "", "docker.io/pytorch/pytorch", "2.5", ""}},
      {"docker://nvcr.io/nvidia/pytorch:25.10-py3",
       {Source::kRegistry, "", "nvcr.io/nvidia/pytorch", "25.10-py3", ""}},
      {"localhost/a", {Source::kRegistry, "", "localhost/a", "latest", ""}},
      {"Reg.lab:5000/a-b/c__d", {Source::kRegistry, "", "Reg.lab:5000/a-b/c__d", "latest", ""}},
      {"reg.lab/a@" + kDigest, {Source::kRegistry, "", "reg.lab/a", "", kDigest}},
      {"reg.lab/a:v1@" + kDigest, {Source::kRegistry, "", "reg.lab/a", "v1", kDigest}}};
  for (const auto& [text, expected] : forms) {
    const auto image = ParseImageReference(text);
    ASSERT_TRUE(image) << text;
    EXPECT_EQ(*image, expected) << text;
    EXPECT_EQ(HasLayers(text), expected.source != Source::kDirectory) << text;
    EXPECT_EQ(IsPulled(text), expected.source == Source::kRegistry) << text;
    EXPECT_EQ(IsSquashfs(text), expected.source == Source::kSquashfs) << text;
  }
}

TEST(ImageReference, WhatIsNoneIsRefusedWithItsText) {
  for (const std::string& text : {std::string("oci:data"),
                                  std::string("oci:/a:"),
                                  std::string("oci:/a:v 1"),
                                  "oci:/a:" + std::string(256, 'v'),
                                  "oci:/a@" + kDigest + "0",
                                  "oci:/a@SHA256:" + std::string(64, 'a'),
                                  "oci:/a@sha256:" + std::string(64, 'A'),
                                  std::string("oci:/a/../b"),
                                  std::string("oci:"),
                                  std::string("dir:"),
                                  std::string(""),
                                  std::string("Pytorch:2"),
                                  std::string("a b"),
                                  std::string("reg.lab/a:"),
                                  std::string("reg.lab/a:-v"),
                                  "reg.lab/a:" + std::string(129, 'v'),
                                  std::string("reg.lab//a"),
                                  std::string("reg.lab/-a"),
                                  std::string("reg.lab/a/"),
                                  std::string("reg.lab:/a"),
                                  std::string("reg.lab:123456/a"),
                                  std::string("reg.lab:65536/a"),
                                  std::string("reg.lab/a..b"),
                                  std::string("reg.lab/a___b"),
                                  std::string("reg.lab/a.-b"),
                                  std::string("reg.lab/_a"),
                                  std::string("reg.lab/a_"),
                                  std::string("docker-archive:data/x.tar"),
                                  std::string("docker-archive:/a.tar:"),
                                  std::string("oci-archive:"),
                                  std::string("squashfs:x.sqsh"),
                                  std::string("/data/x.sqsh@sha256:1"),
                                  std::string("/data/../x.sqsh"),
                                  std::string("/data/x.tar"),
                                  std::string("/data/img:v1"),
                                  std::string("/"),
                                  std::string("train.sqsh"),
                                  std::string("ana/train.squashfs"),
                                  std::string("./train.sqfs"),
                                  std::string("dirr:/data/x"),
                                  "reg.lab/" + std::string(250, 'a'),
                                  std::string("-flag"),
                                  std::string("reg.lab/--flag"),
                                  std::string("../x"),
                                  std::string("reg.lab/a@sha256:1")}) {
    const auto image = ParseImageReference(text);
    ASSERT_FALSE(image) << text;
    EXPECT_EQ(image.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(HasLayers(text)) << text;
    EXPECT_FALSE(IsPulled(text)) << text;
    EXPECT_FALSE(IsSquashfs(text)) << text;
  }
}

TEST(ImageReference, APathIsNoNameInARegistry) {
  EXPECT_THAT(ParseImageReference("/data/train").error().message, HasSubstr("write dir: before"));
  EXPECT_THAT(ParseImageReference("train.sqsh").error().message, HasSubstr("its whole path"));
}

TEST(ImageReference, OnlyARegistryOfThisMachineIsOnLoopback) {
  for (const char* one : {"localhost/a", "localhost:5000/a", "127.0.0.1:5000/a", "127.1.2.3/a"})
    EXPECT_TRUE(IsOnLoopback(one)) << one;
  for (const char* one :
       {"127.evil.org/a", "localhost.evil.org/a", "reg.lab/127.0.0.1", "10.0.0.1/a"})
    EXPECT_FALSE(IsOnLoopback(one)) << one;
}

}  // namespace
}  // namespace gp
