#include "lib/http/redirect.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

WebRequest Requested(const std::string& method, const std::string& body) {
  WebRequest request;
  request.method = method;
  request.to = *ParseWebAddress("https://h/a/b");
  request.headers = {{"Authorization", "Bearer s3cret"}, {"Cookie", "s3cret"},
                     {"X-Vault-Token", "s3cret"},        {"Range", "bytes=5-"},
                     {"Content-Type", "text/plain"},     {"accept", "*/*"}};
  request.body = body;
  return request;
}

Result<WebRequest> Followed(const WebRequest& request, int status, const std::string& location) {
  return FollowRedirect(request, WebResponse{status, {{"Location", location}}, ""});
}

std::string NamesOf(const HttpHeaders& headers) {
  std::string names;
  for (const auto& header : headers) names += header.first + " ";
  return names;
}

TEST(FollowRedirect, AtHomeTheRequestStays) {
  const auto next = Followed(Requested("GET", ""), 302, "/c");
  ASSERT_TRUE(next);
  EXPECT_EQ(next->to.target, "/c");
  EXPECT_EQ(next->headers.size(), 6U);
  const auto put = Followed(Requested("PUT", "body"), 307, "/c");
  ASSERT_TRUE(put);
  EXPECT_EQ(put->method, "PUT");
  EXPECT_EQ(put->body, "body");
}

TEST(FollowRedirect, ElsewhereNoCredentialsGo) {
  for (const char* location : {"https://other/c", "https://h:444/c", "https://x.h/c"}) {
    const auto next = Followed(Requested("GET", ""), 308, location);
    ASSERT_TRUE(next);
    EXPECT_EQ(NamesOf(next->headers), "Range accept ") << location;
  }
}

TEST(FollowRedirect, SeeOtherIsAGetWithoutBody) {
  WebRequest request = Requested("POST", "body");
  request.source.next = [] { return std::string(); };
  const auto next = Followed(request, 303, "https://other/c");
  ASSERT_TRUE(next);
  EXPECT_EQ(next->method, "GET");
  EXPECT_EQ(next->body, "");
  EXPECT_FALSE(next->source.next);
  EXPECT_EQ(Followed(Requested("HEAD", ""), 303, "/")->method, "HEAD");
  EXPECT_EQ(NamesOf(Followed(Requested("POST", "body"), 303, "/c")->headers),
            "Authorization Cookie X-Vault-Token Range accept ");
}

TEST(FollowRedirect, RefusesWhatCouldDoHarm) {
  WebRequest streamed = Requested("PUT", "");
  streamed.source.next = [] { return std::string(); };
  for (const auto& refused :
       {Followed(Requested("GET", ""), 302, "http://h/a"),
        Followed(Requested("GET", ""), 302, "ftp://h/"),
        Followed(Requested("POST", "body"), 302, "/c"),
        Followed(Requested("DELETE", ""), 301, "/c"),
        Followed(Requested("PUT", "body"), 307, "https://other/"), Followed(streamed, 307, "/c"),
        FollowRedirect(Requested("GET", ""), WebResponse{302, {}, ""})}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kPermissionDenied);
  }
  EXPECT_TRUE(Followed(*Followed(Requested("GET", ""), 302, "https://h/"), 302, "https://g/"));
}

TEST(IsRedirect, IsWhatNamesAnotherAddress) {
  for (const int status : {301, 302, 303, 307, 308}) EXPECT_TRUE(IsRedirect(status));
  for (const int status : {200, 300, 304, 305, 306, 309}) EXPECT_FALSE(IsRedirect(status));
}

}  // namespace
}  // namespace gp
