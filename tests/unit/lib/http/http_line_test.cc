#include "lib/http/http_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "files/descriptor.h"
#include "tests/support/scratch.h"

namespace gp {
namespace {

// Answers one request with these bytes.
class OneAnswer {
 public:
  OneAnswer(const std::string& path, const std::string& answer)
      : listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un place{};
    place.sun_family = AF_UNIX;
    std::strncpy(place.sun_path, path.c_str(), sizeof place.sun_path - 1);
    EXPECT_EQ(bind(listener_.get(), reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
    EXPECT_EQ(listen(listener_.get(), 1), 0);
    thread_ = std::thread([this, answer] {
      const Descriptor client(accept(listener_.get(), nullptr, nullptr));
      char request[4096];
      EXPECT_GT(read(client.get(), request, sizeof request), 0);
      EXPECT_EQ(write(client.get(), answer.data(), answer.size()),
                static_cast<ssize_t>(answer.size()));
    });
  }
  ~OneAnswer() { thread_.join(); }

 private:
  const Descriptor listener_;
  std::thread thread_;
};

Result<HttpAnswer> AnswerOf(const std::string& bytes) {
  const Scratch scratch;
  const OneAnswer server(scratch.In("http.sock"), bytes);
  const auto line = HttpLine::Open(scratch.In("http.sock")).value();
  return line->Post("/", {}, "question");
}

TEST(HttpLine, GivesAnAnswer) {
  EXPECT_EQ(AnswerOf("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nanswer")->body, "answer");
}

TEST(HttpLine, AControllerThatGoesAwayIsUnavailable) {
  const auto answer = AnswerOf("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nans");
  EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
}

// The same answer comes to whoever asks again.
TEST(HttpLine, AnAnswerThatIsTooLargeIsNoControllerThatWentAway) {
  const auto answer = AnswerOf("HTTP/1.1 200 OK\r\nContent-Length: 268435457\r\n\r\n");
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, ErrorCode::kResourceExhausted);
  EXPECT_THAT(answer.error().message, testing::HasSubstr("256 MiB"));
  EXPECT_THAT(answer.error().message, testing::HasSubstr("--limit"));
}

}  // namespace
}  // namespace gp
