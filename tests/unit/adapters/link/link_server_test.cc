// The controller's addresses: which connections they serve, and which they pass on.

#include "adapters/inbound/link/link_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <future>

#include "adapters/wire/link_greeting.h"
#include "lib/sockets/dial.h"
#include "tests/support/link_client.h"
#include "tests/support/test_controller.h"

namespace gp {
namespace {

using testing::HasSubstr;
using With = TestController::With;

// A second pair of addresses of a controller, which notes what it passes on.
struct Addresses {
  TestController controller;
  const Scratch scratch;
  std::promise<std::pair<Descriptor, bool>> passed;
  std::unique_ptr<LinkServer> server;

  Addresses() {
    LinkServerOptions options{scratch.In("s"), "127.0.0.1:0", "token"};
    options.hello_within = std::chrono::milliseconds(500);
    server = LinkServer::Start(controller.api, *controller.loop, controller.nodes, options,
                               [this](Descriptor other, bool is_local) {
                                 passed.set_value({std::move(other), is_local});
                               })
                 .value();
  }
  ~Addresses() { server->Shutdown(); }

  std::string tcp() const { return "127.0.0.1:" + std::to_string(server->tcp_port()); }
  std::string local() const { return "unix:" + scratch.In("s"); }
};

// A connection that sends these bytes.
Descriptor Say(const std::string& address, const std::string& bytes) {
  Dial dial(address);
  Result<std::optional<Descriptor>> connected = std::nullopt;
  while (connected && !*connected) connected = dial.GoOn();
  EXPECT_TRUE(connected);
  EXPECT_EQ(send((**connected).get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
  return **std::move(connected);
}

// Whether the other end closes it within ten seconds.
bool IsClosed(const Descriptor& connection) {
  pollfd ready{connection.get(), POLLIN, 0};
  char byte = 0;
  return poll(&ready, 1, 10'000) == 1 && recv(connection.get(), &byte, 1, 0) <= 0;
}

// What comes within ten seconds; empty: nothing.
std::string AnswerTo(const Descriptor& connection) {
  pollfd ready{connection.get(), POLLIN, 0};
  char bytes[1'000];
  if (poll(&ready, 1, 10'000) != 1) return "";
  const ssize_t size = recv(connection.get(), bytes, sizeof bytes, 0);
  return std::string(bytes, static_cast<size_t>(std::max<ssize_t>(size, 0)));
}

TEST(LinkServer, PassesOnWhatDoesNotBeginWithAGreetingUnread) {
  for (const bool is_local : {true, false}) {
    Addresses addresses;
    const Descriptor client = Say(is_local ? addresses.local() : addresses.tcp(), "PRI * HTTP/2.0");
    const auto [other, came_locally] = addresses.passed.get_future().get();
    EXPECT_EQ(came_locally, is_local);
    char bytes[100];
    ASSERT_EQ(recv(other.get(), bytes, sizeof bytes, 0), 14);
    EXPECT_EQ(std::string(bytes, 14), "PRI * HTTP/2.0");
  }
}

TEST(LinkServer, ClosesWhatGreetsWrongly) {
  Addresses addresses;
  EXPECT_TRUE(IsClosed(Say(addresses.local(), "\xF0GPX?")));
  EXPECT_TRUE(IsClosed(Say(addresses.local(), "\xF0GPLX")));
}

TEST(LinkServer, ClosesWhatSaysNothingOrTooLittle) {
  Addresses addresses;
  const Descriptor silent = Say(addresses.local(), "");
  const Descriptor half = Say(addresses.local(), "\xF0G");
  const Descriptor greets_only = Say(addresses.local(), LinkGreeting(false));
  EXPECT_TRUE(IsClosed(silent));
  EXPECT_TRUE(IsClosed(half));
  EXPECT_TRUE(IsClosed(greets_only));
}

TEST(LinkServer, ServesAnAgentWhoseGreetingComesInParts) {
  TestController controller;
  const Descriptor agent = Say(controller.socket(), "\xF0G");
  usleep(50'000);
  ASSERT_EQ(send(agent.get(), "PLP", 3, 0), 3);
  ASSERT_EQ(send(agent.get(), "\0\0\0\0", 4, 0), 4);  // a hello without a token
  EXPECT_THAT(AnswerTo(agent), HasSubstr("wrong or missing join token"));
}

TEST(LinkServer, SaysWhetherAnAddressHasTls) {
  TestController encrypted(With::kTls);
  LinkClient plain(encrypted.tcp_address(), TestController::kJoinToken);
  EXPECT_THAT(plain.Rest(), HasSubstr("requires TLS"));
  LinkClient tls(encrypted.socket(), "", encrypted.authority->certificate());
  EXPECT_THAT(tls.Rest(), HasSubstr("TLS handshake"));
}

TEST(LinkServer, RefusesALongHelloBeforeItHasCome) {
  TestController controller;
  const Descriptor agent = Say(controller.socket(), LinkGreeting(false) + "\x7f\xff\xff\xff");
  EXPECT_THAT(AnswerTo(agent), HasSubstr("at most 16384 are accepted"));
}

TEST(LinkServer, DoesNotStartWhereItCannotListen) {
  TestController controller;
  const auto start = [&](const std::string& socket, const std::string& listen) {
    const auto started =
        LinkServer::Start(controller.api, *controller.loop, controller.nodes,
                          LinkServerOptions{socket, listen, "token"}, [](Descriptor, bool) {});
    return started ? "" : started.error().message;
  };
  const Scratch scratch;
  EXPECT_THAT(start("/no/such/directory/s", ""), HasSubstr("/no/such/directory/s"));
  EXPECT_THAT(start(scratch.In("s"), "nonsense"), HasSubstr("HOST:PORT"));
  TestController other(With::kTls);
  EXPECT_THAT(start(scratch.In("s"), other.tcp_address()), HasSubstr("in use"));
}

}  // namespace
}  // namespace gp
