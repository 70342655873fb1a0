#include "adapters/outbound/images/image_answers.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

std::string Named(char digit) { return "sha256:" + std::string(64, digit); }

TEST(ImageAnswers, OddNamesOfLayersAreRefused) {
  for (const LayerPlan& layer :
       {LayerPlan{"sha256:../../x", Named('2'), 7}, LayerPlan{Named('2'), "/etc", 7},
        LayerPlan{Named('2'), Named('3'), -1}}) {
    const ImagePlan plan{.digest = Named('1'), .manifest = Named('1'), .layers = {layer}};
    const auto read = ReadImagePlan(AnswerText(Result<ImagePlan>(plan)));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kInternal);
  }
}

TEST(ImageAnswers, AnImageWithoutADigestIsRefused) {
  for (const char* digest : {"", "v1", "sha256:1", "sha256:../../x"}) {
    for (const ImagePlan& plan : {ImagePlan{.digest = digest, .manifest = Named('1')},
                                  ImagePlan{.digest = Named('1'), .manifest = digest}}) {
      const auto read = ReadImagePlan(AnswerText(Result<ImagePlan>(plan)));
      ASSERT_FALSE(read);
      EXPECT_EQ(read.error().code, ErrorCode::kInternal);
    }
  }
}

TEST(ImageAnswers, APlanArrivesAsItWas) {
  const ImagePlan plan{.digest = Named('1'),
                       .manifest = Named('6'),
                       .layers = {{Named('2'), Named('3'), 7}, {Named('4'), Named('5'), 8}},
                       .environment = {"A=line\nline", "B=\"x\""},
                       .working_directory = "/w"};
  const auto read = ReadImagePlan(AnswerText(Result<ImagePlan>(plan)));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, plan);
}

TEST(ImageAnswers, ErrorsKeepTheirBlame) {
  for (const ErrorCode code :
       {ErrorCode::kInvalidArgument, ErrorCode::kResourceExhausted, ErrorCode::kInternal}) {
    const auto read =
        ReadUnpackedLayer(AnswerText(Result<UnpackedLayer>(Fail(Error{code, "why"}))));
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, code);
    EXPECT_EQ(read.error().message, "why");
  }
  const auto other = ReadImagePlan(AnswerText(Result<ImagePlan>(Fail(Unsupported("no library")))));
  EXPECT_EQ(other.error().code, ErrorCode::kInternal);
}

TEST(ImageAnswers, APullIsDoneOrSaysWhyNot) {
  EXPECT_TRUE(ReadDone(AnswerText(Status(Ok()))));
  const Status refused = ReadDone(AnswerText(Status(Fail(InvalidArgument("manifest unknown")))));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(refused.error().message, "manifest unknown");
  for (const char* text : {"", "x", "[]", "{\"error\": 1}"}) EXPECT_FALSE(ReadDone(text)) << text;
}

TEST(ImageAnswers, NamesNeedNotBeUtf8) {
  const auto read = ReadImagePlan(AnswerText(Result<ImagePlan>(Fail(InvalidArgument("\xff")))));
  EXPECT_EQ(read.error().message, "\xEF\xBF\xBD");
}

TEST(ImageAnswers, WhatIsNoAnswerIsTheHostsFault) {
  for (const char* text : {"", "x", "{}", "[]", "{\"error\": 1}", "{\"code\": 7, \"error\": {}}"}) {
    const auto read = ReadImagePlan(text);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kInternal);
  }
}

}  // namespace
}  // namespace gp
