#include "rsh/greeting.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "rsh/io.h"
#include "rsh/mac.h"

namespace gp::rsh {
namespace {

// Both ends of a connection; the test plays the server, byte by byte.
class RshGreeting : public testing::Test {
 protected:
  RshGreeting() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0); }
  ~RshGreeting() override {
    if (client_.joinable()) client_.join();
    for (const int end : ends_) close(end);
  }
  void Begin(const std::string& token, const std::string& words) {
    client_ = std::thread([this, token, words] { is_greeted_ = Greet(ends_[0], token, words); });
  }
  Reception::State Receive(Reception& reception, const std::string& token) {
    std::string buffer;
    auto state = Reception::State::kWaits;
    while (state == Reception::State::kWaits) {
      const auto byte = ReadExactly(ends_[1], 1);
      if (!byte) return Reception::State::kRefused;
      heard_ += *byte;
      buffer += *byte;
      state = reception.Take(buffer, token);
    }
    return state;
  }
  bool End() {
    client_.join();
    return is_greeted_;
  }

  int ends_[2];
  std::thread client_;
  bool is_greeted_ = false;
  std::string heard_;
};

TEST_F(RshGreeting, BothEndsProveTheToken) {
  const std::string nonce = Nonce();
  Reception reception(nonce);
  WriteAll(ends_[1], nonce);
  Begin("secret", "run 1 date");
  ASSERT_EQ(Receive(reception, "secret"), Reception::State::kProven);
  EXPECT_EQ(reception.words(), "run 1 date");
  EXPECT_EQ(heard_.find("secret"), std::string::npos);
  WriteAll(ends_[1], reception.answer());
  EXPECT_TRUE(End());
}

TEST_F(RshGreeting, AnotherJobsTokenIsRefused) {
  const std::string nonce = Nonce();
  Reception reception(nonce);
  WriteAll(ends_[1], nonce);
  Begin("secret", "run 1 date");
  EXPECT_EQ(Receive(reception, "other"), Reception::State::kRefused);
  shutdown(ends_[1], SHUT_RDWR);
  EXPECT_FALSE(End());
}

TEST_F(RshGreeting, AServerWithoutTheTokenIsRefused) {
  WriteAll(ends_[1], Nonce());
  Begin("secret", "follow 1");
  ReadExactly(ends_[1], kMacBytes + 4 + 8 + kMacBytes);
  WriteAll(ends_[1], Mac("other", "anything"));
  EXPECT_FALSE(End());
}

// Somebody who listened cannot say it once more, nor other words.
TEST_F(RshGreeting, WhatWasHeardIsOfNoUseAgain) {
  const std::string nonce = Nonce();
  Reception reception(nonce);
  WriteAll(ends_[1], nonce);
  Begin("secret", "run 1 date");
  ASSERT_EQ(Receive(reception, "secret"), Reception::State::kProven);
  shutdown(ends_[1], SHUT_RDWR);
  End();
  std::string again = heard_;
  Reception next(Nonce());
  EXPECT_EQ(next.Take(again, "secret"), Reception::State::kRefused);
  std::string changed = heard_;
  changed[changed.size() - kMacBytes - 1] = 'f';  // "datf"
  Reception same(nonce);
  EXPECT_EQ(same.Take(changed, "secret"), Reception::State::kRefused);
}

TEST_F(RshGreeting, EndlessWordsAreRefusedAtOnce) {
  Reception reception(Nonce());
  std::string buffer = std::string(kMacBytes, 'n') + std::string("\xff\xff\xff\x7f", 4);
  EXPECT_EQ(reception.Take(buffer, "secret"), Reception::State::kRefused);
}

}  // namespace
}  // namespace gp::rsh
