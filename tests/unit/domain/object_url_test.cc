#include "domain/model/jobs/object_url.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

using enum ObjectScheme;

TEST(ObjectUrl, EachFormIsReadAndWritten) {
  const std::pair<std::string, ObjectUrl> forms[] = {
      {"s3://data", {kS3, "data", "", ""}},
      {"s3://my.data-1/sets/a b/", {kS3, "my.data-1", "sets/a b/", ""}},
      {"gs://my_data/x", {kGs, "my_data", "x", ""}},
      {"hf://gpt2", {kHf, "gpt2", "", ""}},
      {"hf://gpt2@v1/model.bin", {kHf, "gpt2", "model.bin", "v1"}},
      {"hf://meta/llama", {kHf, "meta/llama", "", ""}},
      {"hf://meta/llama/a/b.bin", {kHf, "meta/llama", "a/b.bin", ""}},
      {"hf://meta/llama@refs%2Fpr%2F1/b", {kHf, "meta/llama", "b", "refs/pr/1"}},
      {"hf://datasets/squad", {kHf, "datasets/squad", "", ""}},
      {"hf://datasets/org/set@main", {kHf, "datasets/org/set", "", "main"}},
      {"https://host/", {kHttps, "host", "/", ""}},
      {"https://host:8443/a?x=1", {kHttps, "host:8443", "/a?x=1", ""}},
      {"http://[fd00::1]:80/a", {kHttp, "[fd00::1]:80", "/a", ""}},
      {"file:///data/set", {kFile, "", "/data/set", ""}},
      {"s3://data/na\xc3\xafve/../x", {}}};
  for (const auto& [text, expected] : forms) {
    const auto url = ParseObjectUrl(text);
    if (expected.host_or_bucket.empty() && expected.path.empty()) {
      EXPECT_FALSE(url) << text;
      continue;
    }
    ASSERT_TRUE(url) << text << ": " << url.error().message;
    EXPECT_EQ(*url, expected) << text;
    EXPECT_EQ(ToText(*url), text);
  }
}

TEST(ObjectUrl, WhatIsWrongIsSaidWithTheFix) {
  const std::pair<std::string, std::string> faults[] = {
      {"", "must begin with s3://"},
      {"ftp://x/y", "must begin with s3://"},
      {"S3://data", "must begin with s3://"},
      {"s3://ab/x", "3 to 63"},
      {"s3://" + std::string(64, 'a'), "3 to 63"},
      {"s3://Data/x", "lower-case"},
      {"s3://my_data/x", "lower-case"},
      {"s3://-data/x", "begin and end"},
      {"s3://da..ta/x", "no dots side by side"},
      {"s3://10.0.0.1/x", "endpoint"},
      {"s3://data//x", "empty part"},
      {"s3://data/" + std::string(1'025, 'x'), "1024"},
      {"s3://data/a/../b", "\"..\""},
      {"s3://data/%2e%2E/b", "\"..\""},
      {"s3://data/a\nb", "control character"},
      {"s3://data/\xff", "UTF-8"},
      {"s3://data/\xe2\x80\xae", "control character"},
      {"s3://key:secret@data/x", "put them into a secret"},
      {"https://ana:pqr7@host/x", "put them into a secret"},
      {"https://host/x?X-Amz-Signature=abc", "put the token into a secret"},
      {"https://host/x?a=1&token=abc", "put the token into a secret"},
      {"https://host/x#y", "fragment"},
      {"https://host/a b", "%20"},
      {"https://", "no host"},
      {"https://host:0/x", "no port"},
      {"https://host:99999/x", "no port"},
      {"https://host/a/%2e%2e/b", "\"..\""},
      {"https://host/" + std::string(4'000, 'x'), "4000"},
      {"hf://", "hf://org/name"},
      {"hf://org/na me", "hf://org/name"},
      {"hf://org/name@", "revision"},
      {"hf://org/name@a b", "revision"},
      {"hf://org/name@..%2Fx", "revision"},
      {"hf://token:hf_x@org/name", "secret"},
      {"file://data/x", "three slashes"},
      {"file:///data/../x", "\"..\""}};
  for (const auto& [text, part] : faults) {
    const auto url = ParseObjectUrl(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_TRUE(url.error().message.contains(part)) << text << ": " << url.error().message;
    EXPECT_FALSE(url.error().message.contains("pqr7")) << url.error().message;
  }
}

}  // namespace
}  // namespace gp
