#include "lib/sigv4/sign_request.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lib/secrets/secrets.h"

namespace gp {
namespace {

constexpr Instant kIamTime{1'440'938'160'000'000'000};  // 2015-08-30T12:36:00Z
constexpr Instant kS3Time{1'369'353'600'000'000'000};   // 2013-05-24T00:00:00Z

const AwsCredentials kIamCredentials{"AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", ""};
const AwsCredentials kS3Credentials{"AKIAIOSFODNN7EXAMPLE",
                                    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ""};
const AwsScope kIam{"us-east-1", "iam"};
const AwsScope kS3{"us-east-1", "s3"};

AwsRequest ListUsers() {
  AwsRequest request{"GET", "iam.amazonaws.com"};
  request.query = {{"Version", "2010-05-08"}, {"Action", "ListUsers"}};
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}};
  request.payload_sha256 = Sha256("");
  return request;
}

AwsRequest InBucket(const std::string& method, const std::string& path) {
  AwsRequest request{method, "examplebucket.s3.amazonaws.com", path};
  request.payload_sha256 = Sha256("");
  return request;
}

std::string HeaderOf(const SignedAwsRequest& signed_request, std::string_view name) {
  const auto header =
      std::ranges::find(signed_request.headers, name, [](const auto& one) { return one.first; });
  return header == signed_request.headers.end() ? "none" : header->second;
}

std::string Authorization(const AwsRequest& request, const AwsCredentials& credentials,
                          const AwsScope& scope, Instant now) {
  const auto signed_request = SignAwsRequest(request, credentials, scope, now);
  return signed_request ? HeaderOf(*signed_request, "authorization")
                        : signed_request.error().message;
}

std::string S3Signature(const AwsRequest& request) {
  const std::string text = Authorization(request, kS3Credentials, kS3, kS3Time);
  return text.substr(text.find("Signature=") + 10);
}

std::string Refusal(const AwsRequest& request, const AwsCredentials& credentials = kS3Credentials,
                    const AwsScope& scope = kS3) {
  const auto signed_request = SignAwsRequest(request, credentials, scope, kS3Time);
  if (signed_request) return "signed";
  EXPECT_EQ(signed_request.error().code, ErrorCode::kInvalidArgument);
  return signed_request.error().message;
}

// The example of AWS's description of the algorithm.
TEST(SignAwsRequest, SignsAsThePublishedExampleOfIam) {
  const auto signed_request = SignAwsRequest(ListUsers(), kIamCredentials, kIam, kIamTime);
  ASSERT_TRUE(signed_request) << signed_request.error().message;
  EXPECT_EQ(signed_request->target, "/?Action=ListUsers&Version=2010-05-08");
  EXPECT_EQ(HeaderOf(*signed_request, "x-amz-date"), "20150830T123600Z");
  EXPECT_EQ(HeaderOf(*signed_request, "x-amz-content-sha256"), "none");
  EXPECT_EQ(HeaderOf(*signed_request, "authorization"),
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
            "SignedHeaders=content-type;host;x-amz-date, "
            "Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
}

TEST(SignAwsRequest, TheCanonicalRequestOfIamIsAsPublished) {
  const SignedHeaders headers = {
      {"content-type", "application/x-www-form-urlencoded; charset=utf-8"},
      {"host", "iam.amazonaws.com"},
      {"x-amz-date", "20150830T123600Z"}};
  EXPECT_EQ(Sha256(CanonicalRequest(ListUsers(), headers, true)),
            "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59");
}

// The examples of S3's reference.
TEST(SignAwsRequest, SignsAsThePublishedExamplesOfS3) {
  AwsRequest get = InBucket("GET", "/test.txt");
  get.headers = {{"Range", "bytes=0-9"}};
  EXPECT_EQ(Authorization(get, kS3Credentials, kS3, kS3Time),
            "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
            "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
            "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");

  AwsRequest put = InBucket("PUT", "/test$file.text");
  put.headers = {{"Date", "Fri, 24 May 2013 00:00:00 GMT"},
                 {"x-amz-storage-class", "REDUCED_REDUNDANCY"}};
  put.payload_sha256 = Sha256("Welcome to Amazon S3.");
  EXPECT_EQ(TargetOf(put), "/test%24file.text");
  EXPECT_EQ(S3Signature(put), "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");

  AwsRequest lifecycle = InBucket("GET", "/");
  lifecycle.query = {{"lifecycle", ""}};
  EXPECT_EQ(S3Signature(lifecycle),
            "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");

  AwsRequest list = InBucket("GET", "/");
  list.query = {{"prefix", "J"}, {"max-keys", "2"}};
  EXPECT_EQ(S3Signature(list), "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(SignAwsRequest, SignsTheTokenOfTemporaryCredentials) {
  AwsCredentials temporary = kS3Credentials;
  temporary.session_token = "token";
  const auto signed_request = SignAwsRequest(InBucket("GET", "/test.txt"), temporary, kS3, kS3Time);
  ASSERT_TRUE(signed_request);
  EXPECT_EQ(HeaderOf(*signed_request, "x-amz-security-token"), "token");
  EXPECT_TRUE(HeaderOf(*signed_request, "authorization")
                  .contains("SignedHeaders=host;x-amz-content-sha256;x-amz-date;"
                            "x-amz-security-token, "));
}

TEST(SignAwsRequest, EachPartChangesTheSignature) {
  const std::string before = S3Signature(InBucket("GET", "/test.txt"));
  AwsRequest other = InBucket("GET", "/test.txt");
  other.payload_sha256 = kUnsignedPayload;
  EXPECT_NE(S3Signature(other), before);
  EXPECT_NE(S3Signature(InBucket("HEAD", "/test.txt")), before);
  EXPECT_NE(S3Signature(InBucket("GET", "/test.tx")), before);
  const AwsRequest same = InBucket("GET", "/test.txt");
  for (const auto& [credentials, scope, now] :
       {std::tuple(kIamCredentials, kS3, kS3Time),
        std::tuple(kS3Credentials, AwsScope{"eu-west-1", "s3"}, kS3Time),
        std::tuple(kS3Credentials, kS3, kS3Time + Duration::Seconds(1))})
    EXPECT_FALSE(Authorization(same, credentials, scope, now).ends_with(before));
}

TEST(SignAwsRequest, HeadersAreSignedWithoutExtraSpaces) {
  AwsRequest plain = InBucket("GET", "/a"), spaced = plain;
  plain.headers = {{"x-amz-meta-a", "one two,three"}};
  spaced.headers = {{"X-Amz-Meta-A", "  one   two "}, {"x-amz-meta-a", "three"}};
  EXPECT_EQ(S3Signature(spaced), S3Signature(plain));
}

TEST(SignAwsRequest, KeysOfObjectsAreNotNormalized) {
  const auto signed_request =
      SignAwsRequest(InBucket("GET", "/a//../b c"), kS3Credentials, kS3, kS3Time);
  ASSERT_TRUE(signed_request);
  EXPECT_EQ(signed_request->target, "/a//../b%20c");
  AwsRequest other = ListUsers();
  for (const char* path : {"/a//b", "/a/../b", "/.", "/a/./b"}) {
    other.path = path;
    EXPECT_TRUE(Refusal(other, kIamCredentials, kIam).starts_with("path: ")) << path;
  }
}

TEST(SignAwsRequest, RefusesWhatNoHeaderCanHave) {
  const auto with = [](const auto& change) {
    AwsRequest request = InBucket("GET", "/");
    change(request);
    return Refusal(request);
  };
  EXPECT_EQ(with([](AwsRequest&) {}), "signed");
  EXPECT_TRUE(with([](AwsRequest& r) { r.method = "get"; }).starts_with("method: "));
  EXPECT_TRUE(with([](AwsRequest& r) { r.method = ""; }).starts_with("method: "));
  EXPECT_TRUE(with([](AwsRequest& r) { r.host = "a\r\nb"; }).starts_with("host: "));
  EXPECT_TRUE(with([](AwsRequest& r) { r.path = "a"; }).starts_with("path: "));
  EXPECT_TRUE(with([](AwsRequest& r) { r.payload_sha256 = "AB"; }).starts_with("payload_sha256: "));
  for (const char* name : {"Host", "x-amz-date", "X-Amz-Content-Sha256", "Authorization"}) {
    EXPECT_TRUE(with([&](AwsRequest& r) {
                  r.headers = {{name, "x"}};
                }).starts_with("headers: the signature sets "))
        << name;
  }
  EXPECT_EQ(with([](AwsRequest& r) { r.headers = {{"a b", "x"}}; }),
            "headers: \"a b\" is not a name");
  EXPECT_EQ(with([](AwsRequest& r) { r.headers = {{"a", "x\nb: y"}}; }),
            "headers: a must be one line of ASCII text");
  EXPECT_TRUE(Refusal(InBucket("GET", "/"), kS3Credentials, {"a/b", "s3"}).starts_with("region: "));
  EXPECT_TRUE(Refusal(InBucket("GET", "/"), kS3Credentials, {"a", ""}).starts_with("service: "));
}

TEST(SignAwsRequest, NoRefusalShowsASecret) {
  for (const AwsCredentials& bad :
       {AwsCredentials{"", "s3cret"}, AwsCredentials{"s3cret/", "s3cret"},
        AwsCredentials{"a", "s3cret\n"}, AwsCredentials{"a", ""},
        AwsCredentials{"a", "s3cret", "s3cret\r\n"}}) {
    const std::string message = Refusal(InBucket("GET", "/"), bad);
    EXPECT_NE(message, "signed");
    EXPECT_FALSE(message.contains("s3cret")) << message;
  }
  const std::string text =
      Authorization(InBucket("GET", "/"), {"id", "s3cret", "t0ken"}, kS3, kS3Time);
  EXPECT_FALSE(text.contains("s3cret") || text.contains("t0ken")) << text;
}

TEST(UriEncode, KeepsOnlyWhatNeedsNoEncoding) {
  EXPECT_EQ(UriEncode("AZaz09-._~"), "AZaz09-._~");
  EXPECT_EQ(UriEncode("a b/c+d=é"), "a%20b%2Fc%2Bd%3D%C3%A9");
  EXPECT_EQ(UriEncode("/a b/c%", true), "/a%20b/c%25");
}

TEST(TargetOf, SortsByEncodedNameAndValue) {
  AwsRequest request = InBucket("GET", "/");
  request.query = {{"b", "2"}, {"a", "b"}, {"a", "B"}, {"a b", "&"}};
  EXPECT_EQ(TargetOf(request), "/?a=B&a=b&a%20b=%26&b=2");
}

}  // namespace
}  // namespace gp
