#include "lib/http/web_post.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace gp {
namespace {

TEST(WebAddress, HasItsParts) {
  const auto usual = ParseWebAddress("https://hooks.example.org/services/7?x=1#part");
  ASSERT_TRUE(usual);
  EXPECT_TRUE(usual->is_encrypted);
  EXPECT_EQ(usual->host, "hooks.example.org");
  EXPECT_EQ(usual->port, "443");
  EXPECT_EQ(usual->target, "/services/7?x=1");
  const auto bare = ParseWebAddress("http://[::1]:8080");
  ASSERT_TRUE(bare);
  EXPECT_FALSE(bare->is_encrypted);
  EXPECT_EQ(bare->host, "[::1]");
  EXPECT_EQ(bare->port, "8080");
  EXPECT_EQ(bare->target, "/");
  EXPECT_EQ(ParseWebAddress("http://h?x=1")->target, "/?x=1");
}

TEST(WebAddress, OddOnesAreRefused) {
  for (const char* url :
       {"", "hooks.example.org", "ftp://h/", "https://", "https:///path", "https://user:word@h/",
        "https://h:0/", "https://h:65536/", "https://h:12a/", "https://h/a b", "https://h/\r\nx: y",
        "https://h/\xc3\xa9", "https://[]/", "https://[/", "https://[fe80::1%eth0]/",
        "https://a:b:1/", "https://h,x/"}) {
    const auto address = ParseWebAddress(url);
    EXPECT_FALSE(address) << url;
  }
  EXPECT_FALSE(ParseWebAddress("https://h/" + std::string(2'000, 'x')));
}

// A server of one connection that does what a test wants.
class OneConnection {
 public:
  template <typename Talk>
  explicit OneConnection(Talk talk) : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = std::to_string(ntohs(address.sin_port));
    thread_ = std::thread([this, talk] {
      const int connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      talk(connection, Heard(connection));
      close(connection);
    });
  }
  ~OneConnection() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  WebPost Post() const {
    WebPost post;
    post.to = *ParseWebAddress("http://127.0.0.1:" + port_ + "/hook");
    post.headers = {{"webhook-id", "a.1"}};
    post.body = "{\"a\": 1}";
    return post;
  }

 private:
  static std::string Heard(int connection) {
    std::string text;
    char piece[1'024];
    while (!text.contains("{\"a\": 1}")) {
      const ssize_t got = read(connection, piece, sizeof piece);
      if (got <= 0) break;
      text.append(piece, static_cast<size_t>(got));
    }
    return text;
  }
  int listener_;
  std::string port_;
  std::thread thread_;
};

void Say(int connection, const std::string& text) {
  (void)!write(connection, text.data(), text.size());
}

TEST(WebPostTest, SaysWhatItShouldAndTellsTheAnswer) {
  std::string heard;
  {
    const OneConnection server([&](int connection, const std::string& text) {
      heard = text;
      Say(connection, "HTTP/1.1 202 Accepted\r\ncontent-length: 3\r\n\r\nyes");
    });
    const auto answer = Post(server.Post(), -1);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 202);
    EXPECT_EQ(answer->body, "yes");
  }
  EXPECT_TRUE(heard.starts_with("POST /hook HTTP/1.1\r\n")) << heard;
  EXPECT_NE(heard.find("webhook-id: a.1\r\n"), std::string::npos) << heard;
  EXPECT_NE(heard.find("Content-Length: 8\r\n"), std::string::npos) << heard;
}

TEST(WebPostTest, AnEndlessAnswerIsCutAndARedirectIsNotFollowed) {
  const OneConnection server([](int connection, const std::string&) {
    Say(connection,
        "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 1000000\r\n\r\n" +
            std::string(200'000, 'x'));
    char end = 0;
    (void)!read(connection, &end, 1);  // until the other side has gone
  });
  const auto answer = Post(server.Post(), -1);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->status, 302);
}

// Whoever has said yes has said so, whatever becomes of the rest.
TEST(WebPostTest, AnAnswerIsOneByItsHead) {
  for (const std::string rest : {"\r\n", "content-length: 50\r\n\r\nhalf"}) {
    const OneConnection server([&](int connection, const std::string&) {
      Say(connection, "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n" + rest);
    });
    const auto answer = Post(server.Post(), -1);
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->status, 200);
  }
  const OneConnection server([](int connection, const std::string&) {
    Say(connection, "HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n");
    char end = 0;
    (void)!read(connection, &end, 1);
  });
  WebPost post = server.Post();
  post.time_limit = Duration::Milliseconds(200);
  EXPECT_EQ(Post(post, -1)->status, 204);
}

TEST(WebPostTest, FilesThatAreBeingMendedAreNoRefusal) {
  WebPost post;
  post.to = *ParseWebAddress("https://127.0.0.1:1/");
  post.authorities = "/nonexistent";
  EXPECT_EQ(Post(post, -1).error().code, ErrorCode::kUnavailable);
  post.authorities = "";
  post.to = *ParseWebAddress("http://no-such-host.invalid/");
  EXPECT_EQ(Post(post, -1).error().code, ErrorCode::kUnavailable);
}

TEST(WebPostTest, SilenceAndNonsenseAreNoAnswers) {
  const auto wait_for_end = [](int connection, const std::string&) {
    char end = 0;
    (void)!read(connection, &end, 1);
  };
  {
    const OneConnection server(wait_for_end);
    WebPost post = server.Post();
    post.time_limit = Duration::Milliseconds(100);
    const auto answer = Post(post, -1);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::kUnavailable);
    EXPECT_NE(answer.error().message.find("no answer within 100ms"), std::string::npos)
        << answer.error().message;
  }
  {
    const OneConnection server([](int connection, const std::string&) {
      Say(connection, "220 smtp.example.org ESMTP\r\n\r\n");
    });
    EXPECT_FALSE(Post(server.Post(), -1));
  }
  WebPost nobody;
  nobody.to = *ParseWebAddress("http://127.0.0.1:1/");
  EXPECT_FALSE(Post(nobody, -1));
}

TEST(WebPostTest, EndsWhenNobodyWantsTheAnswer) {
  const OneConnection server([](int connection, const std::string&) {
    char end = 0;
    (void)!read(connection, &end, 1);
  });
  const int stop = eventfd(1, EFD_CLOEXEC);
  WebPost post = server.Post();
  post.time_limit = Duration::Minutes(60);
  const auto answer = Post(post, stop);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().message.find("aborted"), std::string::npos);
  close(stop);
}

}  // namespace
}  // namespace gp
