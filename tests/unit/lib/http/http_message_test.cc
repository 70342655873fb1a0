#include "lib/http/http_message.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

WebRequest RequestOf(const std::string& method) {
  WebRequest request;
  request.method = method;
  request.to = *ParseWebAddress("https://h:8443/p?q");
  return request;
}

TEST(RequestHead, HasWhatFollowsFromTheRequest) {
  EXPECT_EQ(RequestHead(RequestOf("GET")),
            "GET /p?q HTTP/1.1\r\nHost: h:8443\r\nUser-Agent: gpu-platform\r\n\r\n");
  WebRequest request = RequestOf("PUT");
  request.headers = {{"user-agent", "other"}, {"X-Of-Nothing", ""}};
  EXPECT_EQ(RequestHead(request),
            "PUT /p?q HTTP/1.1\r\nHost: h:8443\r\nuser-agent: other\r\nX-Of-Nothing: \r\n"
            "Content-Length: 0\r\n\r\n");
  request.body = "four";
  EXPECT_TRUE(RequestHead(request).ends_with("Content-Length: 4\r\n\r\n"));
  request.source.next = [] { return std::string(); };
  EXPECT_TRUE(RequestHead(request).ends_with("Transfer-Encoding: chunked\r\n\r\n"));
  request.source.bytes = 0;
  EXPECT_TRUE(RequestHead(request).ends_with("Content-Length: 0\r\n\r\n"));
}

TEST(CheckRequest, NothingBecomesAHeaderOfItsOwn) {
  EXPECT_TRUE(CheckRequest(RequestOf("PROPFIND")));
  for (const char* method : {"", "get", "GET /", "CONNECT", "GET\r\n", "AAAAAAAAAAAAAAAAAAAAA"})
    EXPECT_EQ(CheckRequest(RequestOf(method)).error().code, ErrorCode::kInvalidArgument) << method;
  for (const auto& [name, value] : HttpHeaders{{"", "v"},
                                               {"a b", "v"},
                                               {"a:", "v"},
                                               {"a\n", "v"},
                                               {"a", "v\r\nb: c"},
                                               {"a", "v\nb: c"},
                                               {"a", std::string("v\0w", 3)},
                                               {"Host", "h"},
                                               {"content-length", "1"},
                                               {"Transfer-Encoding", "chunked"},
                                               {"connection", "close"}}) {
    WebRequest request = RequestOf("GET");
    request.headers = {{name, value}};
    EXPECT_EQ(CheckRequest(request).error().code, ErrorCode::kInvalidArgument) << name;
  }
  for (const char* target : {"", "x", "/a b", "/a\r\nb: c", "*"}) {
    WebRequest request = RequestOf("GET");
    request.to.target = target;
    EXPECT_FALSE(CheckRequest(request)) << target;
  }
}

TEST(CheckRequest, ErrorsContainNoValue) {
  WebRequest request = RequestOf("GET");
  request.headers = {{"Authorization", "Bearer s3cret\n"}};
  const Error error = CheckRequest(request).error();
  EXPECT_NE(error.message.find("Authorization"), std::string::npos);
  EXPECT_EQ(error.message.find("s3cret"), std::string::npos);
}

TEST(FindHeader, DoesNotLookAtCase) {
  const HttpHeaders headers = {{"ETag", "1"}, {"etag", "2"}};
  ASSERT_NE(FindHeader(headers, "eTAG"), nullptr);
  EXPECT_EQ(*FindHeader(headers, "eTAG"), "1");
  EXPECT_EQ(FindHeader(headers, "etags"), nullptr);
}

}  // namespace
}  // namespace gp
