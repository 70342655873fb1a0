#include "adapters/outbound/tcp_ports/held_port_blocks.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "domain/model/jobs/ports.h"
#include "files/descriptor.h"

namespace gp {
namespace {

// A program of the host, on one port of its loopback interface.
Descriptor Listen(int port) {
  Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool listens =
      bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      listen(listener.get(), 1) == 0;
  return listens ? std::move(listener) : Descriptor();
}

// Two agents of one host.  Other programs of the host may have some blocks, so tests start from one
// that is free.
class HeldPortBlocksTest : public testing::Test {
 protected:
  HeldPortBlocksTest() {
    first_ = a_.Take({1}, kPortFirst + (getpid() % 1'000) * kPortsInBlock);
    a_.ReleaseOthers({});
  }
  HeldPortBlocks a_;
  HeldPortBlocks b_;
  int first_ = 0;
};

TEST_F(HeldPortBlocksTest, TheJobMayListenOnAllOfThemButTheLast) {
  ASSERT_EQ(a_.Take({1}, first_), first_);
  EXPECT_EQ(a_.Of({1}), first_);
  for (int i = 0; i < kPortsLeased; ++i) EXPECT_TRUE(Listen(first_ + i).valid()) << i;
  EXPECT_FALSE(Listen(first_ + kPortsLeased).valid());
}

TEST_F(HeldPortBlocksTest, ABlockHasOneHolderOnTheHost) {
  ASSERT_EQ(a_.Take({1}, first_), first_);
  const int other = b_.Take({2}, first_);
  EXPECT_TRUE(IsFirstPort(other));
  EXPECT_NE(other, first_);
  const int third = a_.Take({3}, first_);
  EXPECT_NE(third, first_);
  EXPECT_NE(third, other);
}

TEST_F(HeldPortBlocksTest, ABlockInWhichSomebodyListensIsPassedOver) {
  for (int i = 0; i < kPortsInBlock; ++i) {
    const Descriptor listener = Listen(first_ + i);
    ASSERT_TRUE(listener.valid());
    EXPECT_NE(a_.Take({1}, first_), first_) << i;
    a_.ReleaseOthers({});
  }
}

TEST_F(HeldPortBlocksTest, AfterTheLastBlockComesTheFirst) {
  const int last = kPortFirst + (kPortBlocks - 1) * kPortsInBlock;
  const Descriptor listener = Listen(last);
  EXPECT_LT(a_.Take({1}, last), last);
}

TEST_F(HeldPortBlocksTest, WhatIsGivenBackIsFree) {
  a_.Take({1}, first_);
  a_.Take({2}, first_);
  a_.ReleaseOthers({{2}});
  EXPECT_EQ(a_.Of({1}), 0);
  EXPECT_NE(a_.Of({2}), 0);
  EXPECT_EQ(b_.Take({3}, first_), first_);
}

// An agent that was restarted holds again what its attempts have, though they listen there.
TEST_F(HeldPortBlocksTest, ABlockIsKeptThoughItsJobListens) {
  const Descriptor job = Listen(first_);
  a_.Keep({1}, first_);
  EXPECT_EQ(a_.Of({1}), first_);
  EXPECT_FALSE(Listen(first_ + kPortsLeased).valid());
  EXPECT_NE(a_.Take({2}, first_), first_);
}

}  // namespace
}  // namespace gp
