#include "adapters/inbound/rest/server/request_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace gp {
namespace {

using Progress = RequestReader::Progress;

constexpr uint64_t kBodyMax = 2 << 20;

// Gives it all, a few bytes at a time, as long as it wants more.
Progress Feed(RequestReader& reader, std::string_view bytes, size_t at_once = SIZE_MAX) {
  Progress progress = reader.Take(0);
  while (progress == Progress::kNeedsMore && !bytes.empty()) {
    const auto room = reader.Room();
    const size_t size = std::min({bytes.size(), at_once, room.size()});
    std::memcpy(room.data(), bytes.data(), size);
    bytes.remove_prefix(size);
    progress = reader.Take(size);
  }
  return progress;
}

int StatusOf(std::string_view bytes) {
  RequestReader reader(kBodyMax);
  return Feed(reader, bytes) == Progress::kRefused ? reader.refusal().status : 0;
}

TEST(RequestReader, TakesRequestsOneAfterTheOther) {
  RequestReader reader(kBodyMax);
  ASSERT_EQ(Feed(reader,
                 "GET /one HTTP/1.1\r\nHost: a\r\n\r\nPOST /two HTTP/1.1\r\nHost: "
                 "b\r\nContent-Length: 2\r\n\r\n{}GET /three HTTP/1.0\r\n\r\nGET"),
            Progress::kWhole);
  EXPECT_EQ(reader.request().target, "/one");
  EXPECT_EQ(reader.request().host, "a");
  EXPECT_TRUE(reader.may_go_on());
  reader.Next();
  ASSERT_EQ(reader.Take(0), Progress::kWhole);
  EXPECT_EQ(reader.request().target, "/two");
  EXPECT_EQ(reader.request().body, "{}");
  reader.Next();
  ASSERT_EQ(reader.Take(0), Progress::kWhole);
  EXPECT_EQ(reader.version(), 10u);
  EXPECT_EQ(reader.request().body, "");
  EXPECT_FALSE(reader.may_go_on());
  reader.Next();
  EXPECT_EQ(reader.Take(0), Progress::kNeedsMore);
}

TEST(RequestReader, DoesNotCareHowBytesCome) {
  const std::string post =
      "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer "
      "x\r\n\r\n5\r\nhello\r\n2\r\n\n \r\n0\r\nTrailer: x\r\n\r\n";
  for (size_t at_once = 1; at_once <= post.size(); ++at_once) {
    RequestReader reader(kBodyMax);
    ASSERT_EQ(Feed(reader, post, at_once), Progress::kWhole) << at_once;
    EXPECT_EQ(reader.request().body, "hello\n ");
    EXPECT_EQ(reader.request().authorization, "Bearer x");
  }
}

TEST(RequestReader, AFoldedLineIsRefusedHoweverItComes) {
  const std::string folded =
      "POST / HTTP/1.1\r\nHost: a\r\nX: b\r\n Content-Length: 5\r\n\r\nhello";
  for (size_t at_once = 1; at_once <= folded.size(); ++at_once) {
    RequestReader reader(kBodyMax);
    ASSERT_EQ(Feed(reader, folded, at_once), Progress::kRefused) << at_once;
    EXPECT_EQ(reader.refusal().status, 400);
  }
  EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{\r\n \"a\":1"), 0)
      << "a body may have such lines";
}

TEST(RequestReader, WhatStandsBehindTheBodyDoesNotCount) {
  const std::string fields =
      "Authorization: Bearer x\r\nOrigin: http://a\r\nIdempotency-Key: k\r\n";
  RequestReader reader(kBodyMax);
  ASSERT_EQ(Feed(reader, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" +
                             fields + "\r\n"),
            Progress::kWhole);
  EXPECT_FALSE(reader.request().authorization);
  EXPECT_FALSE(reader.request().origin);
  EXPECT_FALSE(reader.request().idempotency_key);
  EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHost: a\r\n\r\n"),
            400);
}

TEST(RequestReader, ChunksSayNothingButTheirSize) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(StatusOf(head + "1;a=b\r\nx\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf(head + "5;a=\"\nAAAA\"\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(StatusOf(head + "1;" + std::string(100'000, 'a')), 400);
}

TEST(RequestReader, EverythingHasALimit) {
  EXPECT_EQ(StatusOf("GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(20'000, 'a') + "\r\n\r\n"),
            431);
  EXPECT_EQ(StatusOf(std::string(1'000'000, 'A')), 431);
  EXPECT_EQ(StatusOf("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " +
                     std::to_string(kBodyMax + 1) + "\r\n\r\n"),
            413);
  RequestReader reader(kBodyMax);
  const std::string most =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(kBodyMax) + "\r\n\r\n" +
      std::string(kBodyMax, 'b');
  ASSERT_EQ(Feed(reader, most), Progress::kWhole);
  EXPECT_EQ(reader.request().body.size(), kBodyMax);
}

TEST(RequestReader, WhatIsNoRequestIsRefused) {
  for (const char* bytes :
       {"GET\r\n\r\n", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", "\x16\x03\x01",
        "GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"})
    EXPECT_EQ(StatusOf(bytes), 400) << bytes;
}

TEST(RequestReader, NothingIsReadBehindHead) {
  RequestReader reader(kBodyMax);
  ASSERT_EQ(Feed(reader, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"), Progress::kWhole);
  EXPECT_FALSE(reader.may_go_on());
}

}  // namespace
}  // namespace gp
