#include "lib/sockets/lifeline.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <future>

#include "lib/sockets/listener.h"
#include "lib/sockets/socket_address.h"

namespace gp {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A server that the test ends.
struct PlayedServer {
  std::vector<Descriptor> listeners = ListenOverTcp("127.0.0.1:0").value();
  std::string address() const {
    return "127.0.0.1:" + std::to_string(BoundAddress(listeners[0].get()).port());
  }
  Descriptor Accept() const {
    pollfd ready{listeners[0].get(), POLLIN, 0};
    EXPECT_EQ(poll(&ready, 1, 10'000), 1);
    int error = 0;
    return AcceptFrom(listeners[0].get(), error);
  }
};

struct LifelineTest : testing::Test {
  // Whether a server is said to have ended within that time, and which one.
  uint64_t EndedWithin(milliseconds time) {
    auto future = ended.get_future();
    return future.wait_for(time) == std::future_status::ready ? future.get() : 0;
  }

  PlayedServer server;
  std::promise<uint64_t> ended;
  std::atomic<int> count = 0;
  Lifeline lifeline{[this](uint64_t number) {
    if (++count == 1) ended.set_value(number);
  }};
};

TEST_F(LifelineTest, AServerThatEndsIsNoticed) {
  lifeline.Hold(7, server.address());
  Descriptor held = server.Accept();
  server.listeners.clear();
  held.Reset();
  EXPECT_EQ(EndedWithin(seconds(10)), 7U);
}

TEST_F(LifelineTest, AServerThatClosesTheConnectionAloneHasNotEnded) {
  lifeline.Hold(7, server.address());
  server.Accept().Reset();
  const Descriptor again = server.Accept();
  EXPECT_TRUE(again.valid());
  EXPECT_EQ(count, 0);
}

TEST_F(LifelineTest, OneThatWasNeverThereIsNotSaidToHaveEnded) {
  const std::string address = server.address();
  server.listeners.clear();
  lifeline.Hold(7, address);
  EXPECT_EQ(EndedWithin(milliseconds(1'500)), 0U) << "it may not have opened its door yet";
}

TEST_F(LifelineTest, TheServerBeforeIsForgotten) {
  lifeline.Hold(7, server.address());
  Descriptor held = server.Accept();
  PlayedServer next;
  lifeline.Hold(8, next.address());
  const Descriptor held_next = next.Accept();
  server.listeners.clear();
  held.Reset();
  lifeline.Hold(0, "");
  EXPECT_EQ(EndedWithin(milliseconds(500)), 0U);
}

TEST_F(LifelineTest, ItEndsWhileItWaits) {
  const Lifeline idle([](uint64_t) {});
  Lifeline waits([](uint64_t) {});
  waits.Hold(1, server.address());
  const Descriptor held = server.Accept();
  SUCCEED() << "both are destroyed without waiting for anything";
}

}  // namespace
}  // namespace gp
