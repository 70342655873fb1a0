#include "adapters/inbound/relay/relay.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <thread>

#include "adapters/wire/link_greeting.h"
#include "lib/sockets/dial.h"
#include "lib/sockets/listener.h"
#include "lib/sockets/socket_address.h"

namespace gp {
namespace {

using std::chrono::milliseconds;

Descriptor Connect(int port) {
  Dial dial("127.0.0.1:" + std::to_string(port));
  Result<std::optional<Descriptor>> connected = std::nullopt;
  while (connected && !*connected) connected = dial.GoOn();
  EXPECT_TRUE(connected);
  fcntl((**connected).get(), F_SETFL, 0);
  timeval patience{10, 0};
  setsockopt((**connected).get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return **std::move(connected);
}

void Say(const Descriptor& to, const std::string& bytes) {
  for (size_t sent = 0; sent < bytes.size();) {
    const ssize_t now = send(to.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    ASSERT_GT(now, 0);
    sent += static_cast<size_t>(now);
  }
}

// That number of bytes, or what came before the end; waits ten seconds at most for each part.
std::string Hear(const Descriptor& from, size_t size) {
  std::string heard;
  while (heard.size() < size) {
    char bytes[64 << 10];
    const ssize_t got = recv(from.get(), bytes, std::min(sizeof bytes, size - heard.size()), 0);
    if (got <= 0) break;
    heard.append(bytes, static_cast<size_t>(got));
  }
  return heard;
}

bool HasEnded(const Descriptor& connection) {
  char byte = 0;
  return recv(connection.get(), &byte, 1, 0) <= 0 && errno != EAGAIN;
}

// A server that the test plays.
struct PlayedLeader {
  std::vector<Descriptor> listeners = ListenOverTcp("127.0.0.1:0").value();
  std::string address() const {
    return "127.0.0.1:" + std::to_string(BoundAddress(listeners[0].get()).port());
  }
  Descriptor Accept() const {
    pollfd ready{listeners[0].get(), POLLIN, 0};
    EXPECT_EQ(poll(&ready, 1, 10'000), 1);
    int error = 0;
    Descriptor accepted = AcceptFrom(listeners[0].get(), error);
    fcntl(accepted.get(), F_SETFL, 0);
    return accepted;
  }
  bool HasCaller(milliseconds within) const {
    pollfd ready{listeners[0].get(), POLLIN, 0};
    return poll(&ready, 1, static_cast<int>(within.count())) == 1;
  }
};

struct RelayTest : testing::Test {
  RelayTest() { Open({}); }
  void Open(Relay::Options options) {
    options.doors = {"127.0.0.1:0", "127.0.0.1:0"};
    relay = Relay::Start(options).value();
  }
  void Lead(const PlayedLeader& of_first, const std::string& process = "first") {
    relay->LeaderIs({process, {of_first.address(), web.address()}});
  }
  Descriptor Client(size_t door = 0) const { return Connect(relay->ports()[door]); }

  PlayedLeader leader;
  PlayedLeader web;
  std::unique_ptr<Relay> relay;
};

TEST_F(RelayTest, PassesBothDirectionsOn) {
  Lead(leader);
  const Descriptor client = Client();
  Say(client, "question");
  const Descriptor end = leader.Accept();
  EXPECT_EQ(Hear(end, 8), "question");
  Say(end, "answer");
  EXPECT_EQ(Hear(client, 6), "answer");
}

TEST_F(RelayTest, FindsALeaderByItsName) {
  const std::string address = leader.address();
  relay->LeaderIs({"first", {"localhost" + address.substr(address.rfind(':')), web.address()}});
  for (int i = 0; i < 3; ++i) {
    const Descriptor client = Client();
    Say(client, "question");
    EXPECT_EQ(Hear(leader.Accept(), 8), "question");
  }
}

TEST_F(RelayTest, EachDoorLeadsToItsOwnAddress) {
  Lead(leader);
  const Descriptor client = Client(1);
  Say(client, "GET /");
  EXPECT_EQ(Hear(web.Accept(), 5), "GET /");
}

TEST_F(RelayTest, TheSlowerEndSetsThePaceAndNothingIsLost) {
  Lead(leader);
  const Descriptor client = Client();
  std::string large;
  for (int i = 0; large.size() < (8 << 20); ++i) large += std::to_string(i);
  std::thread sends([&] {
    Say(client, large);
    shutdown(client.get(), SHUT_WR);
  });
  const Descriptor end = leader.Accept();
  std::this_thread::sleep_for(milliseconds(100));  // all buffers on the way are full then
  EXPECT_EQ(Hear(end, large.size() + 1), large);
  sends.join();
  std::thread answers([&] {
    Say(end, large);
    shutdown(end.get(), SHUT_WR);
  });
  EXPECT_EQ(Hear(client, large.size() + 1), large) << "one direction goes on after the other ended";
  answers.join();
}

TEST_F(RelayTest, AClientThatDoesNotReadCostsNoTime) {
  Lead(leader);
  const Descriptor client = Client();
  Say(client, "x");
  shutdown(client.get(), SHUT_WR);
  Descriptor end = leader.Accept();
  EXPECT_EQ(Hear(end, 2), "x");
  // More than the buffers on the way take; then the leader has nothing more to say.
  fcntl(end.get(), F_SETFL, O_NONBLOCK);
  const std::string piece(64 << 10, 'y');
  for (int idle = 0; idle < 20;) {
    const bool is_full = send(end.get(), piece.data(), piece.size(), MSG_NOSIGNAL) < 0;
    idle = is_full ? idle + 1 : 0;
    if (is_full) std::this_thread::sleep_for(milliseconds(10));
  }
  end.Reset();
  const auto used = [] {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return milliseconds(now.tv_sec * 1'000 + now.tv_nsec / 1'000'000);
  };
  const milliseconds before = used();
  std::this_thread::sleep_for(milliseconds(500));
  EXPECT_LT(used() - before, milliseconds(250)) << "a loop without a pause";
}

TEST_F(RelayTest, AnEndIsPassedOn) {
  Lead(leader);
  const Descriptor client = Client();
  Say(client, "x");
  Descriptor end = leader.Accept();
  EXPECT_EQ(Hear(end, 1), "x");
  end.Reset();
  EXPECT_TRUE(HasEnded(client));

  Descriptor other = Client();
  Say(other, "x");
  end = leader.Accept();
  EXPECT_EQ(Hear(end, 1), "x");
  other.Reset();
  EXPECT_TRUE(HasEnded(end));
}

TEST_F(RelayTest, AClientWaitsUntilALeaderIsKnown) {
  const Descriptor client = Client();
  Say(client, "early");
  EXPECT_FALSE(leader.HasCaller(milliseconds(50)));
  Lead(leader);
  EXPECT_EQ(Hear(leader.Accept(), 5), "early");
}

TEST_F(RelayTest, ConnectionsToTheLeaderBeforeEnd) {
  Lead(leader);
  const Descriptor client = Client();
  Say(client, "x");
  const Descriptor end = leader.Accept();
  EXPECT_EQ(Hear(end, 1), "x");
  const PlayedLeader next;
  Lead(next, "second");
  EXPECT_TRUE(HasEnded(client)) << "the leader before may hang";
  const Descriptor again = Client();
  Say(again, "y");
  EXPECT_EQ(Hear(next.Accept(), 1), "y");
}

TEST_F(RelayTest, TheSameLeaderAgainEndsNothing) {
  Lead(leader);
  const Descriptor client = Client();
  Say(client, "x");
  const Descriptor end = leader.Accept();
  EXPECT_EQ(Hear(end, 1), "x");
  Lead(leader);
  Say(end, "y");
  EXPECT_EQ(Hear(client, 1), "y");
}

TEST_F(RelayTest, AnAgentIsTurnedAway) {
  Lead(leader);
  const Descriptor agent = Client();
  Say(agent, LinkGreeting(true));
  EXPECT_TRUE(HasEnded(agent));
  EXPECT_FALSE(leader.HasCaller(milliseconds(50)));
}

TEST_F(RelayTest, OneThatIsSilentOrThatNobodyServesIsClosed) {
  Open({.doors = {}, .patience = milliseconds(100)});
  const Descriptor silent = Client();
  EXPECT_TRUE(HasEnded(silent));
  const Descriptor waits = Client();
  Say(waits, "x");
  EXPECT_TRUE(HasEnded(waits));
  relay->LeaderIs({"gone", {"127.0.0.1:1", ""}});
  const Descriptor refused = Client();
  Say(refused, "x");
  EXPECT_TRUE(HasEnded(refused));
}

TEST_F(RelayTest, ConnectionsBeyondTheLimitAreClosed) {
  Open({.doors = {}, .connections_max = 1});
  Lead(leader);
  Descriptor first = Client();
  Say(first, "x");
  Descriptor end = leader.Accept();
  EXPECT_EQ(Hear(end, 1), "x");
  EXPECT_TRUE(HasEnded(Client()));
  first.Reset();
  EXPECT_TRUE(HasEnded(end));
  end.Reset();
  bool has_room = false;
  for (int i = 0; i < 1'000 && !has_room; ++i) {
    const Descriptor next = Client();
    send(next.get(), "y", 1, MSG_NOSIGNAL);
    has_room = leader.HasCaller(milliseconds(10));
  }
  EXPECT_TRUE(has_room) << "one that has ended makes room";
}

TEST_F(RelayTest, ItsEndFreesTheDoors) {
  const int port = relay->ports()[0];
  Lead(leader);
  const Descriptor client = Client();
  Say(client, "x");
  EXPECT_EQ(Hear(leader.Accept(), 1), "x");
  relay.reset();
  EXPECT_TRUE(HasEnded(client));
  EXPECT_TRUE(ListenOverTcp("127.0.0.1:" + std::to_string(port)));
}

TEST(Relay, ADoorThatIsTakenIsAnError) {
  const PlayedLeader taken;
  const auto relay = Relay::Start({.doors = {taken.address()}});
  ASSERT_FALSE(relay);
  EXPECT_THAT(relay.error().message, testing::HasSubstr("cannot listen on " + taken.address()));
  EXPECT_EQ(Relay::Start({.doors = {"nonsense"}}).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace gp
