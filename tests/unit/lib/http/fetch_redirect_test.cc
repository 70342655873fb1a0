#include <gtest/gtest.h>

#include "lib/http/fetch.h"
#include "tests/unit/lib/http/loopback_server.h"

namespace gp {
namespace {

WebRequest WithToken(const std::string& method, const WebAddress& to) {
  WebRequest request;
  request.method = method;
  request.to = to;
  request.headers = {{"Authorization", "Bearer s3cret"}, {"Accept", "a/b"}};
  return request;
}

FetchOptions Following(int redirects_max) {
  FetchOptions options;
  options.redirects_max = redirects_max;
  return options;
}

// "/0" is the page; "/3" redirects to "/2".
void RedirectDown(Peer& peer) {
  const std::string head = peer.ReadHead();
  const int left = std::stoi(head.substr(head.find('/') + 1));
  if (left == 0) return peer.Respond("200 OK", "", "page");
  peer.Respond("302 Found", "location: " + std::to_string(left - 1) + "\r\n", "moved");
}

TEST(FetchRedirect, IsNotFollowedUnlessAsked) {
  const LoopbackServer server(RedirectDown);
  const FetchResult response = Fetch(WithToken("GET", server.Address("/1")), {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 302);
  EXPECT_EQ(response->body, "moved");
  EXPECT_EQ(server.connections(), 1);
}

TEST(FetchRedirect, IsFollowedAsOftenAsAsked) {
  const LoopbackServer server(RedirectDown);
  FetchOptions options = Following(3);
  std::string seen;
  options.on_head = [&](const WebResponse& head) {
    seen += std::to_string(head.status) + " ";
    return Ok();
  };
  options.sink = [&](std::string_view piece) {
    seen += piece;
    return Ok();
  };
  const FetchResult response = Fetch(WithToken("GET", server.Address("/3")), options);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(seen, "200 page");
  const FetchResult too_many = Fetch(WithToken("GET", server.Address("/4")), options);
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(server.connections(), 8);
}

TEST(FetchRedirect, BringsNoCredentialsToAnotherOrigin) {
  std::string heard;
  LoopbackServer other([&](Peer& peer) {
    heard = peer.ReadHead();
    peer.Respond("200 OK", "", "");
  });
  std::string heard_at_home;
  LoopbackServer home([&](Peer& peer) {
    heard_at_home = peer.ReadHead();
    peer.Respond("307 Moved", "location: " + other.Url("/p") + "\r\n", "");
  });
  ASSERT_TRUE(Fetch(WithToken("GET", home.Address()), Following(1)));
  home.End();
  other.End();
  EXPECT_NE(heard_at_home.find("s3cret"), std::string::npos);
  EXPECT_TRUE(heard.starts_with("GET /p ")) << heard;
  EXPECT_EQ(heard.find("s3cret"), std::string::npos) << heard;
  EXPECT_NE(heard.find("Accept: a/b\r\n"), std::string::npos) << heard;
}

TEST(FetchRedirect, BringsCredentialsToTheSameOrigin) {
  std::string heard;
  LoopbackServer server([&](Peer& peer) {
    heard = peer.ReadHead();
    if (heard.starts_with("DELETE /a")) return peer.Respond("308 Moved", "location: /b\r\n", "");
    peer.Respond("204 No Content", "", "");
  });
  EXPECT_EQ(Fetch(WithToken("DELETE", server.Address("/a")), Following(1))->status, 204);
  server.End();
  EXPECT_TRUE(heard.starts_with("DELETE /b ")) << heard;
  EXPECT_NE(heard.find("s3cret"), std::string::npos) << heard;
}

TEST(FetchRedirect, HasTheTimeLimitOfTheWhole) {
  const LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    peer.Respond("302 Found", "location: /\r\n", "");
  });
  FetchOptions options = Following(1'000'000'000);
  options.limits.total = Duration::Milliseconds(100);
  EXPECT_EQ(Fetch(WithToken("GET", server.Address()), options).error().code,
            ErrorCode::kDeadlineExceeded);
}

}  // namespace
}  // namespace gp
