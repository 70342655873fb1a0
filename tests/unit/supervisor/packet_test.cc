#include "supervisor/records/packet.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <set>

namespace gp {
namespace {

class PacketTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    sender_.Reset(ends[0]);
    receiver_.Reset(ends[1]);
  }
  ReceiveOutcome Receive(Packet& packet) {
    return ReceivePacket(receiver_.get(), Patience::kNone, packet);
  }

  Descriptor sender_;
  Descriptor receiver_;
};

TEST_F(PacketTest, ArrivesAsItWasSentAndNeverTwo) {
  const std::string bytes("a\0b", 3);
  EXPECT_EQ(SendPacket(sender_.get(), bytes), SendOutcome::kSent);
  EXPECT_EQ(SendPacket(sender_.get(), "second"), SendOutcome::kSent);
  Packet packet;
  ASSERT_EQ(Receive(packet), ReceiveOutcome::kMessage);
  EXPECT_EQ(packet.bytes, bytes);
  ASSERT_EQ(Receive(packet), ReceiveOutcome::kMessage);
  EXPECT_EQ(packet.bytes, "second");
  EXPECT_EQ(Receive(packet), ReceiveOutcome::kNothing);
}

TEST_F(PacketTest, IsLargerThanTheSocketsDefaultBuffer) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root may exceed the host's limit for buffers";
  std::string bytes(3 << 20, 'x');
  bytes.back() = 'y';
  ASSERT_EQ(SendPacket(sender_.get(), bytes), SendOutcome::kSent);
  Packet packet;
  ASSERT_EQ(Receive(packet), ReceiveOutcome::kMessage);
  EXPECT_TRUE(packet.bytes == bytes);
}

TEST_F(PacketTest, OneOfMoreThanTheMostEndsTheConnection) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root may exceed the host's limit for buffers";
  Packet packet;
  ASSERT_EQ(SendPacket(sender_.get(), std::string(kPacketBytesMax, 'x')), SendOutcome::kSent);
  EXPECT_EQ(Receive(packet), ReceiveOutcome::kMessage);
  EXPECT_EQ(packet.bytes.size(), kPacketBytesMax);
  ASSERT_EQ(SendPacket(sender_.get(), std::string(kPacketBytesMax + 1, 'x')), SendOutcome::kSent);
  EXPECT_EQ(Receive(packet), ReceiveOutcome::kClosed);
}

TEST_F(PacketTest, CarriesAsManyDescriptorsAsAnExecNeeds) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const Descriptor read_end(ends[0]);
  const Descriptor write_end(ends[1]);
  const std::vector<int> sent(kDescriptorsMax, write_end.get());
  ASSERT_EQ(SendPacket(sender_.get(), "x", sent), SendOutcome::kSent);
  Packet packet;
  ASSERT_EQ(Receive(packet), ReceiveOutcome::kMessage);
  ASSERT_EQ(packet.descriptors.size(), size_t{kDescriptorsMax});
  std::set<int> different;
  for (const Descriptor& received : packet.descriptors) {
    EXPECT_EQ(write(received.get(), "x", 1), 1) << "each refers to the pipe";
    EXPECT_NE(fcntl(received.get(), F_GETFD) & FD_CLOEXEC, 0) << "no child inherits it";
    different.insert(received.get());
  }
  EXPECT_EQ(different.size(), size_t{kDescriptorsMax});
}

TEST_F(PacketTest, DescriptorsThatNobodyTakesAreClosed) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  const Descriptor read_end(ends[0]);
  Descriptor write_end(ends[1]);
  ASSERT_EQ(SendPacket(sender_.get(), "x", {write_end.get()}), SendOutcome::kSent);
  write_end.Reset();
  char byte;
  EXPECT_EQ(read(read_end.get(), &byte, 1), -1) << "the packet keeps the pipe open";
  {
    Packet packet;
    ASSERT_EQ(Receive(packet), ReceiveOutcome::kMessage);
  }
  EXPECT_EQ(read(read_end.get(), &byte, 1), 0) << "the end of the pipe";
}

TEST_F(PacketTest, WaitsForAPacketOnlyWithPatience) {
  Packet packet;
  EXPECT_EQ(Receive(packet), ReceiveOutcome::kNothing);
  ASSERT_EQ(SendPacket(sender_.get(), "x"), SendOutcome::kSent);
  EXPECT_EQ(ReceivePacket(receiver_.get(), Patience::kUntilOneComes, packet),
            ReceiveOutcome::kMessage);
  sender_.Reset();
  EXPECT_EQ(ReceivePacket(receiver_.get(), Patience::kUntilOneComes, packet),
            ReceiveOutcome::kClosed);
}

TEST_F(PacketTest, WhatWasSentBeforeTheEndStillArrives) {
  ASSERT_EQ(SendPacket(sender_.get(), "last"), SendOutcome::kSent);
  sender_.Reset();
  Packet packet;
  ASSERT_EQ(Receive(packet), ReceiveOutcome::kMessage);
  EXPECT_EQ(packet.bytes, "last");
  EXPECT_EQ(Receive(packet), ReceiveOutcome::kClosed);
}

TEST_F(PacketTest, AClosedPeerIsNoSignalAndNoBlockedSender) {
  receiver_.Reset();
  EXPECT_EQ(SendPacket(sender_.get(), "x"), SendOutcome::kClosed);
}

TEST_F(PacketTest, AFullSocketTakesPacketsAgainAfterOneWasRead) {
  int sent = 0;
  while (sent < 100'000 && SendPacket(sender_.get(), "x") == SendOutcome::kSent) ++sent;
  ASSERT_LT(sent, 100'000);
  EXPECT_EQ(SendPacket(sender_.get(), "x"), SendOutcome::kFull);
  Packet packet;
  for (int i = 0; i < sent; ++i) ASSERT_EQ(Receive(packet), ReceiveOutcome::kMessage) << i;
  EXPECT_EQ(Receive(packet), ReceiveOutcome::kNothing) << "the refused ones were not sent";
  EXPECT_EQ(SendPacket(sender_.get(), "x"), SendOutcome::kSent);
}

}  // namespace
}  // namespace gp
