#include "lib/sockets/dial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "tests/support/scratch.h"

namespace gp {
namespace {

// The connected socket, or why there is none.
Result<Descriptor> Complete(Dial dial) {
  while (true) {
    auto connected = GP_TRY(dial.GoOn());
    if (connected) return *std::move(connected);
    pollfd ready{dial.descriptor(), POLLIN, 0};
    if (poll(&ready, 1, 20'000) != 1) return Fail(Unavailable("nothing happens"));
  }
}

Result<Descriptor> Connect(const std::string& address) { return Complete(Dial(address)); }

SocketAddress AddressOf(const char* host, int port) {
  return LookUp({host, std::to_string(port)}, true).value().front();
}

// An address of this machine that lets callers wait: its queue is full.
class SilentAddress {
 public:
  SilentAddress() : listener_(ListenAt(AddressOf("127.0.0.2", 0)).value()) {
    listen(listener_.get(), 0);
    for (int i = 0; i < 3; ++i) waiting_.push_back(StartConnect(address()).value());
  }
  SocketAddress address() const { return BoundAddress(listener_.get()); }

 private:
  const Descriptor listener_;
  std::vector<Descriptor> waiting_;
};

TEST(SocketAddress, IsAHostAndAPort) {
  EXPECT_EQ(SplitAddress("10.0.0.1:7070")->host, "10.0.0.1");
  EXPECT_EQ(SplitAddress("10.0.0.1:7070")->port, "7070");
  EXPECT_EQ(SplitAddress("[::1]:0")->host, "::1");
  EXPECT_EQ(SplitAddress("gpu-7.example:65535")->host, "gpu-7.example");
  EXPECT_EQ(SplitAddress(":7070")->host, "");
  for (const char* wrong : {"", "7070", "host", "host:", "host:http", "host:123456", "::1:7070",
                            "host:-1", "host: 1"}) {
    EXPECT_FALSE(SplitAddress(wrong)) << wrong;
  }
}

TEST(SocketAddress, OfALocalSocketMustFitTheKernel) {
  EXPECT_TRUE(LocalAddress("/run/" + std::string(100, 'a')));
  EXPECT_EQ(LocalAddress("/run/" + std::string(110, 'a')).error().code,
            ErrorCode::kInvalidArgument);
}

TEST(Dial, ConnectsToALocalSocket) {
  const Scratch scratch;
  const Descriptor listener = ListenAt(LocalAddress(scratch.In("s")).value()).value();
  const Result<Descriptor> connected = Connect("unix:" + scratch.In("s"));
  ASSERT_TRUE(connected) << connected.error().message;
  int error = 0;
  const Descriptor accepted = AcceptFrom(listener.get(), error);
  EXPECT_TRUE(accepted.valid());
  EXPECT_EQ(PeerAddress(accepted.get()).ToString(), "unix");
  EXPECT_FALSE(AcceptFrom(listener.get(), error).valid());
  EXPECT_EQ(error, 0) << "nobody else waits";
}

TEST(Dial, ConnectsToAnAddressOrAName) {
  const Descriptor listener = ListenAt(LookUp({"127.0.0.1", "0"}, true).value().front()).value();
  const std::string port = std::to_string(BoundAddress(listener.get()).port());
  for (const std::string host : {"127.0.0.1", "localhost"}) {
    const Result<Descriptor> connected = Connect(host + ":" + port);
    ASSERT_TRUE(connected) << host << ": " << connected.error().message;
    int error = 0;
    const Descriptor accepted = AcceptFrom(listener.get(), error);
    EXPECT_THAT(PeerAddress(accepted.get()).ToString(), testing::StartsWith("127.0.0.1:"));
  }
}

// Also on a machine that has no other address of IPv6.
TEST(SocketAddress, OfIpVersion6IsInBrackets) {
  for (const bool is_to_listen : {true, false}) {
    const auto found = LookUp({"::1", "7070"}, is_to_listen);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->front().ToString(), "[::1]:7070");
  }
}

TEST(Dial, TriesTheNextAddressWhereOneIsSilent) {
  const SilentAddress silent;
  const Descriptor listener = ListenAt(AddressOf("127.0.0.3", 0)).value();
  const Result<Descriptor> connected =
      Complete(Dial({silent.address(), BoundAddress(listener.get())}));
  ASSERT_TRUE(connected) << connected.error().message;
  EXPECT_THAT(PeerAddress(connected->get()).ToString(), testing::StartsWith("127.0.0.3:"));
}

TEST(Dial, TriesTheNextAddressWhereOneRefuses) {
  const Descriptor listener = ListenAt(AddressOf("127.0.0.3", 0)).value();
  const Result<Descriptor> connected =
      Complete(Dial({AddressOf("127.0.0.2", 1), BoundAddress(listener.get())}));
  ASSERT_TRUE(connected) << connected.error().message;
}

TEST(Dial, TellsWhyThereIsNoConnection) {
  const Scratch scratch;
  EXPECT_THAT(Connect("unix:" + scratch.In("none")).error().message,
              testing::HasSubstr("No such file"));
  EXPECT_THAT(Connect("127.0.0.1:1").error().message, testing::HasSubstr("refused"));
  EXPECT_THAT(Connect("no-such-host.invalid:7070").error().message,
              testing::HasSubstr("no-such-host.invalid"));
  EXPECT_EQ(Connect("7070").error().code, ErrorCode::kInvalidArgument);
}

TEST(Listen, RefusesAnAddressInUse) {
  const SocketAddress any = LookUp({"127.0.0.1", "0"}, true).value().front();
  const Descriptor listener = ListenAt(any).value();
  SocketAddress same = any;
  same.SetPort(BoundAddress(listener.get()).port());
  EXPECT_THAT(ListenAt(same).error().message, testing::HasSubstr("in use"));
}

}  // namespace
}  // namespace gp
