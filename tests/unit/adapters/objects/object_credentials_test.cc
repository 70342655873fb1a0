#include "adapters/outbound/objects/servers/object_credentials.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

using enum ObjectScheme;

TEST(ObjectCredentials, EachFormIsRead) {
  const char* texts[] = {
      R"({"access_key":"AK","secret_key":"SK","session_token":"ST","region":"eu-west-1",
          "endpoint":"https://minio.lab:9000"})",
      "# mine\r\n[other]\naws_access_key_id=x\n[default]\naws_access_key_id = AK\n"
      "aws_secret_access_key=SK\naws_session_token=ST\nregion=eu-west-1\n"
      "endpoint_url=https://minio.lab:9000\n",
      "access_key=AK\nsecret_key=SK\nsession_token=ST\nregion=eu-west-1\n"
      "endpoint=https://minio.lab:9000"};
  for (const char* text : texts) {
    const auto read = ParseObjectCredentials(kS3, text);
    ASSERT_TRUE(read) << text << read.error().message;
    EXPECT_EQ(read->keys.access_key, "AK");
    EXPECT_EQ(read->keys.secret_key, "SK");
    EXPECT_EQ(read->keys.session_token, "ST");
    EXPECT_EQ(read->region, "eu-west-1");
    EXPECT_EQ(read->endpoint, "https://minio.lab:9000");
  }
  EXPECT_EQ(ParseObjectCredentials(kHf, "hf_abc\n")->token, "hf_abc");
  EXPECT_EQ(ParseObjectCredentials(kHf, R"({"token":"t","endpoint":"https://hub"})")->endpoint,
            "https://hub");
  EXPECT_TRUE(ParseObjectCredentials(kS3, "")->keys.access_key.empty());
  EXPECT_TRUE(ParseObjectCredentials(kFile, " \n"));
}

TEST(ObjectCredentials, NoMessageHasAPartOfTheSecret) {
  const std::pair<ObjectScheme, std::string> texts[] = {
      {kS3, "SeCrEt"},
      {kS3, "access_key=SeCrEt"},
      {kS3, R"({"access_key":"SeCrEt"})"},
      {kS3, R"({"access_key":"SeCrEt","secret_key":7})"},
      {kS3, R"({"access_key":"SeCrEt)"},
      {kS3, "access_key=SeCrEt\nsecret_key=a b"},
      {kS3, "access_key=SeCrEt\nsecret_key=b\nendpoint=ftp://SeCrEt"},
      {kS3, "access_key=SeCrEt\nsecret_key=b\nendpoint=https://h/SeCrEt"},
      {kS3, "[default]\nSeCrEt"},
      {kHf, "SeCrEt\nSeCrEt"},
      {kHf, "SeCrEt b"},
      {kHttps, std::string(70'000, 'S')},
      {kHttp, "SeCrEt"},
      {kFile, "SeCrEt"}};
  for (const auto& [scheme, text] : texts) {
    const auto read = ParseObjectCredentials(scheme, text);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(read.error().message.contains("SeCrEt")) << read.error().message;
  }
}

TEST(ObjectCredentials, AreTakenOutOfMessages) {
  const ObjectCredentials credentials{.keys = {"AKEY", "SKEYY", ""}, .token = "tok1"};
  EXPECT_EQ(WithoutSecrets("AKEY SKEYY SKEYY tok1 x", credentials), "… … … … x");
  EXPECT_EQ(WithoutSecrets("plain", {}), "plain");
}

}  // namespace
}  // namespace gp
