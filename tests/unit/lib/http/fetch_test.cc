#include "lib/http/fetch.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <chrono>

#include "base/ignore_result.h"
#include "tests/unit/lib/http/loopback_server.h"

namespace gp {
namespace {

WebRequest Request(const std::string& method, const WebAddress& to, std::string body = "") {
  WebRequest request;
  request.method = method;
  request.to = to;
  request.body = std::move(body);
  return request;
}

BodySource Pieces(std::vector<std::string> pieces, std::optional<uint64_t> bytes) {
  const auto left = std::make_shared<std::vector<std::string>>(std::move(pieces));
  return {[left]() -> Result<std::string> {
            if (left->empty()) return std::string();
            std::string piece = left->front();
            left->erase(left->begin());
            return piece;
          },
          bytes};
}

// An address where nobody listens.
WebAddress Nobody() {
  WebAddress address;
  {
    const LoopbackServer server([](Peer&) {});
    address = server.Address();
  }
  return address;
}

FetchOptions WithIdle(Duration idle) {
  FetchOptions options;
  options.limits.total = Duration{};
  options.limits.idle = idle;
  return options;
}

TEST(Fetch, SendsAnyMethodAndReturnsAnyStatus) {
  std::string heard;
  LoopbackServer server([&](Peer& peer) {
    heard = peer.ReadHead();
    heard += peer.ReadBytes(4);
    peer.Respond("418 Teapot", "ETag: a\r\netag: b\r\n", "short");
  });
  WebRequest request = Request("PATCH", server.Address("/p?q"), "body");
  request.headers = {{"X-One", "1"}};
  const FetchResult response = Fetch(request, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 418);
  EXPECT_EQ(response->body, "short");
  EXPECT_EQ(response->headers,
            (HttpHeaders{{"ETag", "a"}, {"etag", "b"}, {"content-length", "5"}}));
  server.End();
  EXPECT_TRUE(heard.starts_with("PATCH /p?q HTTP/1.1\r\nHost: 127.0.0.1:")) << heard;
  EXPECT_TRUE(heard.ends_with("\r\nX-One: 1\r\nContent-Length: 4\r\n\r\nbody")) << heard;
}

TEST(Fetch, HeadHasNoBodyAndInterimResponsesAreSkipped) {
  const LoopbackServer server([](Peer& peer) {
    const bool is_head = peer.ReadHead().starts_with("HEAD");
    peer.Say("HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n");
    peer.Say("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n");
    if (!is_head) peer.Say("body");
    peer.WaitForEnd();
  });
  const FetchResult head = Fetch(Request("HEAD", server.Address()), {});
  ASSERT_TRUE(head) << head.error().message;
  EXPECT_EQ(head->body, "");
  EXPECT_EQ(*FindHeader(head->headers, "content-length"), "4");
  EXPECT_EQ(Fetch(Request("GET", server.Address()), {})->body, "body");
}

TEST(Fetch, EndlessInterimResponsesEnd) {
  const LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    while (peer.Say("HTTP/1.1 100 Continue\r\n\r\n")) continue;
  });
  EXPECT_FALSE(Fetch(Request("GET", server.Address()), WithIdle(Duration{})));
}

TEST(Fetch, UploadsPieceByPieceWithALength) {
  std::string heard;
  LoopbackServer server([&](Peer& peer) {
    heard = peer.ReadHead();
    heard += peer.ReadBytes(11);
    peer.Respond("201 Created", "", "");
  });
  WebRequest request = Request("PUT", server.Address());
  request.source = Pieces({"hello", " ", "world"}, 11);
  EXPECT_EQ(Fetch(request, {})->status, 201);
  server.End();
  EXPECT_TRUE(heard.ends_with("\r\nContent-Length: 11\r\n\r\nhello world")) << heard;
}

TEST(Fetch, UploadsPieceByPieceInChunks) {
  std::string heard;
  LoopbackServer server([&](Peer& peer) {
    heard = peer.ReadHead();
    heard += peer.ReadUntil("\r\n0\r\n\r\n");
    peer.Respond("201 Created", "", "");
  });
  WebRequest request = Request("PUT", server.Address());
  request.source = Pieces({"hello", std::string(20, 'x')}, std::nullopt);
  EXPECT_EQ(Fetch(request, {})->status, 201);
  server.End();
  EXPECT_TRUE(heard.ends_with("\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n14\r\n" +
                              std::string(20, 'x') + "\r\n0\r\n\r\n"))
      << heard;
}

TEST(Fetch, ASourceThatFailsOrHasAnotherLengthEndsTheRequest) {
  const LoopbackServer server([](Peer& peer) { peer.WaitForEnd(); });
  WebRequest request = Request("PUT", server.Address());
  for (const uint64_t bytes : {4U, 6U}) {
    request.source = Pieces({"hello"}, bytes);
    const FetchResult response = Fetch(request, {});
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(response.error().may_be_received);
  }
  request.source = {[]() -> Result<std::string> { return Fail(NotFound("no such file")); }, {}};
  const FetchResult response = Fetch(request, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(response.error().reason, "no such file");
}

// A registry refuses an upload that is too large, and reads no more of it.
TEST(Fetch, AResponseBeforeTheEndOfTheUploadCounts) {
  const LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    peer.Respond("413 Too Large", "", "why");
  });
  WebRequest request = Request("PUT", server.Address());
  request.source.next = []() -> Result<std::string> { return std::string(100'000, 'x'); };
  const FetchResult response = Fetch(request, {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 413);
  EXPECT_EQ(response->body, "why");
}

TEST(Fetch, StreamsTheBodyToASink) {
  for (const bool is_chunked : {false, true}) {
    const std::string part(200'000, 'x');
    const LoopbackServer server([&](Peer& peer) {
      peer.ReadHead();
      if (!is_chunked) return peer.Respond("206 Partial", "", part + part);
      peer.Say("HTTP/1.1 206 Partial\r\ntransfer-encoding: chunked\r\n\r\n");
      for (int i = 0; i < 2; ++i) peer.Say("30d40\r\n" + part + "\r\n");
      peer.Say("0\r\n\r\n");
    });
    FetchOptions options;
    options.limits.body_bytes_max = 10;  // of collected bodies only
    int status = 0;
    size_t bytes = 0;
    options.on_head = [&](const WebResponse& head) {
      status = head.status;
      return Ok();
    };
    options.sink = [&](std::string_view piece) {
      EXPECT_EQ(status, 206);
      bytes += piece.size();
      return Ok();
    };
    const FetchResult response = Fetch(Request("GET", server.Address()), options);
    ASSERT_TRUE(response) << response.error().message;
    EXPECT_EQ(bytes, 2 * part.size());
    EXPECT_EQ(response->body, "");
  }
}

TEST(Fetch, ASinkReceivesNoErrorPage) {
  const LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    peer.Respond("404 Not Found", "", "no such blob");
  });
  FetchOptions options;
  options.sink = [](std::string_view) { return Status(Fail(Conflict("a sink was called"))); };
  options.limits.body_bytes_max = 7;
  const FetchResult response = Fetch(Request("GET", server.Address()), options);
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->body, "no such");
}

TEST(Fetch, ASinkStopsAnEndlessWatch) {
  const LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    peer.Say("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    while (peer.Say("6\r\nevent\n\r\n")) continue;
  });
  FetchOptions options = WithIdle(Duration{});
  int pieces = 0;
  options.sink = [&](std::string_view) {
    return ++pieces < 3 ? Ok() : Status(Fail(Conflict("enough")));
  };
  const FetchResult response = Fetch(Request("GET", server.Address()), options);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kConflict);
  EXPECT_EQ(response.error().reason, "enough");
  EXPECT_EQ(pieces, 3);
}

TEST(Fetch, TheHeadCanEndTheRequest) {
  const LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    peer.Respond("200 OK", "", "not wanted");
  });
  FetchOptions options;
  options.on_head = [](const WebResponse&) { return Status(Fail(Conflict("not this"))); };
  const FetchResult response = Fetch(Request("GET", server.Address()), options);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().message, "127.0.0.1: not this; it had answered 200");
  EXPECT_EQ(response.error().response->body, "");
}

TEST(Fetch, ABodyHasALimit) {
  const LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    peer.Respond("200 OK", "", "0123456789");
  });
  FetchOptions options;
  options.limits.body_bytes_max = 10;
  EXPECT_EQ(Fetch(Request("GET", server.Address()), options)->body, "0123456789");
  options.limits.body_bytes_max = 9;
  const FetchResult response = Fetch(Request("GET", server.Address()), options);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kResourceExhausted);
  EXPECT_EQ(response.error().response->body, "012345678");
}

TEST(Fetch, HeadersHaveLimits) {
  const LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    std::string headers = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < 9; ++i) headers += "x: " + std::string(95, 'y') + "\r\n";
    peer.Say(headers + "content-length: 0\r\n\r\n");
    peer.WaitForEnd();
  });
  FetchOptions options;
  options.limits.headers_max = 10;
  EXPECT_TRUE(Fetch(Request("GET", server.Address()), options));
  options.limits.headers_max = 9;
  EXPECT_EQ(Fetch(Request("GET", server.Address()), options).error().code,
            ErrorCode::kResourceExhausted);
  options = {};
  options.limits.header_bytes_max = 1'000;
  EXPECT_TRUE(Fetch(Request("GET", server.Address()), options));
  options.limits.header_bytes_max = 900;
  EXPECT_EQ(Fetch(Request("GET", server.Address()), options).error().code,
            ErrorCode::kResourceExhausted);
}

TEST(Fetch, EndlessHeadersEnd) {
  const LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    peer.Say("HTTP/1.1 200 OK\r\nx: ");
    while (peer.Say("yyyyyyyy")) continue;
  });
  EXPECT_EQ(Fetch(Request("GET", server.Address()), WithIdle(Duration{})).error().code,
            ErrorCode::kResourceExhausted);
}

TEST(Fetch, TheTotalLimitEndsAResponseThatKeepsComing) {
  const LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    peer.Say("HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n");
    while (peer.Say("x")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  FetchOptions options;
  options.limits.total = Duration::Milliseconds(100);
  const FetchResult response = Fetch(Request("GET", server.Address()), options);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kDeadlineExceeded);
  EXPECT_EQ(response.error().reason, "no answer within 100ms");
}

TEST(Fetch, TheIdleLimitEndsASilentResponseAndASilentUpload) {
  const auto stop = eventfd(0, EFD_CLOEXEC);
  {
    const LoopbackServer server([&](Peer& peer) {
      if (peer.ReadHead().starts_with("GET")) {
        peer.Say("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhalf");
        peer.WaitForEnd();
      } else {
        pollfd ended{stop, POLLIN, 0};
        poll(&ended, 1, -1);  // takes nothing
      }
    });
    const FetchOptions options = WithIdle(Duration::Milliseconds(100));
    const FetchResult download = Fetch(Request("GET", server.Address()), options);
    ASSERT_FALSE(download);
    EXPECT_EQ(download.error().code, ErrorCode::kDeadlineExceeded);
    EXPECT_EQ(download.error().reason, "silent for 100ms");
    WebRequest request = Request("PUT", server.Address());
    request.source.next = []() -> Result<std::string> { return std::string(1 << 20, 'x'); };
    const FetchResult upload = Fetch(request, options);
    ASSERT_FALSE(upload);
    EXPECT_EQ(upload.error().reason, "silent for 100ms");
    IgnoreResult(eventfd_write(stop, 1), "the test has passed or failed before");
  }
  close(stop);
}

TEST(Fetch, AStopEndsAStreamThatIsSilent) {
  const int stop = eventfd(0, EFD_CLOEXEC);
  const LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    peer.Say("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\nevent\n\r\n");
    peer.WaitForEnd();
  });
  FetchOptions options = WithIdle(Duration{});
  options.stop_fd = stop;
  options.sink = [&](std::string_view) {
    eventfd_write(stop, 1);
    return Ok();
  };
  const FetchResult response = Fetch(Request("GET", server.Address()), options);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().reason, "it was aborted");
  EXPECT_TRUE(response.error().may_be_received);
  const FetchResult never = Fetch(Request("GET", server.Address()), options);
  EXPECT_FALSE(never.error().may_be_received);
  close(stop);
}

// While a stream never pauses, nothing waits for the descriptor.
TEST(Fetch, AStopEndsAStreamThatNeverPauses) {
  const int stop = eventfd(0, EFD_CLOEXEC);
  const LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    peer.Say("HTTP/1.1 200 OK\r\n\r\n");
    while (peer.Say(std::string(50'000, 'x'))) continue;
  });
  FetchOptions options = WithIdle(Duration{});
  options.stop_fd = stop;
  options.sink = [&](std::string_view) {
    eventfd_write(stop, 1);
    return Ok();
  };
  EXPECT_EQ(Fetch(Request("GET", server.Address()), options).error().reason, "it was aborted");
  close(stop);
}

TEST(Fetch, SaysWhetherTheRequestMayHaveBeenReceived) {
  const FetchResult unsent = Fetch(Request("POST", Nobody(), "body"), {});
  ASSERT_FALSE(unsent);
  EXPECT_FALSE(unsent.error().may_be_received);
  EXPECT_FALSE(unsent.error().response);
  EXPECT_EQ(unsent.error().message, "127.0.0.1: Connection refused; the request was not sent");
  EXPECT_EQ(unsent.error().reason, "Connection refused");

  const LoopbackServer server([](Peer& peer) { peer.ReadHead(); });
  const FetchResult sent = Fetch(Request("GET", server.Address()), {});
  ASSERT_FALSE(sent);
  EXPECT_TRUE(sent.error().may_be_received);
  EXPECT_FALSE(sent.error().response);
  EXPECT_EQ(sent.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(sent.error().message, "127.0.0.1: end of stream; the request may have been received");

  WebRequest wrong = Request("POST", server.Address());
  wrong.headers = {{"a b", ""}};
  EXPECT_EQ(Fetch(wrong, {}).error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(Fetch(wrong, {}).error().may_be_received);
}

TEST(Fetch, HalfABodyIsNone) {
  const LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    peer.Say("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhalf");
  });
  const FetchResult response = Fetch(Request("GET", server.Address()), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(response.error().response->body, "half");
}

TEST(Fetch, ABodyWithoutLengthLastsUntilTheEnd) {
  const LoopbackServer server([](Peer& peer) {
    peer.ReadHead();
    peer.Say("HTTP/1.0 200 OK\r\n\r\nall of it");
  });
  EXPECT_EQ(Fetch(Request("GET", server.Address()), {})->body, "all of it");
}

TEST(Fetch, WhatIsNoHttpIsNoResponse) {
  for (const std::string nonsense :
       {"220 smtp.example.org ESMTP\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n"}) {
    const LoopbackServer server([&](Peer& peer) {
      peer.ReadHead();
      peer.Say(nonsense);
    });
    const FetchResult response = Fetch(Request("GET", server.Address()), {});
    ASSERT_FALSE(response) << nonsense;
    EXPECT_EQ(response.error().code, ErrorCode::kUnavailable) << response.error().message;
  }
}

TEST(Fetch, ErrorsContainNoSecrets) {
  const LoopbackServer silent([](Peer& peer) { peer.ReadHead(); });
  const LoopbackServer moving([](Peer& peer) {
    peer.ReadHead();
    peer.Respond("307 Moved", "location: https://other.example/?signature=s3cret\r\n", "s3cret");
  });
  FetchOptions options;
  options.redirects_max = 1;
  for (const WebAddress& to : {Nobody(), silent.Address(), moving.Address()}) {
    WebRequest request = Request("POST", to, "{\"password\": \"s3cret\"}");
    request.to.target = "/?token=s3cret";
    request.headers = {{"Authorization", "Bearer s3cret"}};
    const FetchResult response = Fetch(request, options);
    ASSERT_FALSE(response);
    EXPECT_TRUE(response.error().message.starts_with("127.0.0.1: "));
    EXPECT_EQ(response.error().message.find("s3cret"), std::string::npos);
  }
}

TEST(Fetch, NeverUsesAProxy) {
  std::string heard;
  LoopbackServer server([&](Peer& peer) {
    heard = peer.ReadHead();
    peer.Respond("200 OK", "", "");
  });
  for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
    setenv(name, "http://127.0.0.1:1", 1);
  EXPECT_TRUE(Fetch(Request("GET", server.Address("/p")), {}));
  server.End();
  EXPECT_TRUE(heard.starts_with("GET /p HTTP/1.1\r\n")) << heard;
  for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) unsetenv(name);
}

}  // namespace
}  // namespace gp
