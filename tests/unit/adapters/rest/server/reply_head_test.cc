#include "adapters/inbound/rest/server/reply_head.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using testing::HasSubstr;
using testing::Not;

HttpReply Reply(int status) { return {status, "application/json", "{}", {}}; }

TEST(ReplyHead, HasAllThatAnAnswerNeeds) {
  EXPECT_EQ(HeadOf(Reply(200), 11, true, 2),
            "HTTP/1.1 200 OK\r\n"
            "Content-Type: application/json\r\n"
            "Cache-Control: no-store\r\n"
            "Server: gpu-platform\r\n"
            "X-Content-Type-Options: nosniff\r\n"
            "Content-Length: 2\r\n"
            "\r\n");
}

TEST(ReplyHead, SaysWhetherTheConnectionEnds) {
  EXPECT_THAT(HeadOf(Reply(200), 11, true, 0), Not(HasSubstr("Connection:")));
  EXPECT_THAT(HeadOf(Reply(200), 11, false, 0), HasSubstr("\r\nConnection: close\r\n"));
  // HTTP/1.0 ends it unless both sides say otherwise.
  EXPECT_THAT(
      HeadOf(Reply(200), 10, true, 0),
      testing::AllOf(HasSubstr("HTTP/1.0 200"), HasSubstr("\r\nConnection: keep-alive\r\n")));
  EXPECT_THAT(HeadOf(Reply(200), 10, false, 0), Not(HasSubstr("Connection:")));
}

TEST(ReplyHead, AnHeaderOfTheReplyReplacesTheUsualOne) {
  HttpReply reply = Reply(200);
  reply.headers = {{"cache-control", "max-age=60"}, {"ETag", "\"7\""}};
  const std::string head = HeadOf(reply, 11, true, 2);
  EXPECT_THAT(head, HasSubstr("\r\ncache-control: max-age=60\r\nETag: \"7\"\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("no-store")));
}

TEST(ReplyHead, ALengthOnlyWhereThereIsABody) {
  EXPECT_THAT(HeadOf(Reply(304), 11, true, 0), Not(HasSubstr("Content-Length")));
  EXPECT_THAT(HeadOf(Reply(404), 11, true, 0), HasSubstr("404 Not Found\r\n"));
  const std::string chunked = HeadOf(Reply(200), 11, false, std::nullopt);
  EXPECT_THAT(chunked, Not(HasSubstr("Content-Length")));
  EXPECT_THAT(chunked, HasSubstr("\r\nTransfer-Encoding: chunked\r\n\r\n"));
}

TEST(ReplyHead, ChunksHaveTheirLengthInHexadecimal) {
  EXPECT_EQ(BeforeChunk(1), "1\r\n");
  EXPECT_EQ(BeforeChunk(255), "ff\r\n");
  EXPECT_EQ(BeforeChunk(65'536), "10000\r\n");
}

}  // namespace
}  // namespace gp
