// An agent's end of a connection, to a real controller.

#include "adapters/outbound/link/link_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <chrono>
#include <ctime>

#include "adapters/outbound/link/socket_control_link.h"
#include "tests/support/test_cluster.h"
#include "tests/support/test_controller.h"

namespace gp {
namespace {

using testing::HasSubstr;
using With = TestController::With;

JoinNode JoinOf(const std::string& name) {
  NodeFacts facts = TestCluster::MakeFacts(name, {0, 0});
  facts.machine = "machine of " + name;
  JoinNode join;
  join.facts = std::make_shared<const NodeFacts>(facts);
  join.incarnation = 1;
  join.fresh = true;
  return join;
}

struct AgentEnd {
  SocketControlLink link;
  std::unique_ptr<ControlConnection> connection;

  explicit AgentEnd(const std::string& address, const std::string& authority = "",
                    const Identity& identity = {})
      : link(Options(address, authority, identity)), connection(link.Connect(0)) {}

  static LinkOptions Options(const std::string& address, const std::string& authority,
                             const Identity& identity) {
    LinkOptions options;
    options.addresses = {address};
    options.join_token = TestController::kJoinToken;
    options.authority = authority;
    options.identity = [identity] { return identity; };
    return options;
  }
  // The first news for which that holds.  It waits for events alone, so that one which does not
  // come is noticed.
  template <typename Condition>
  std::optional<LinkNews> Await(Condition holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < until) {
      pollfd ready{link.EventDescriptor(), POLLIN, 0};
      poll(&ready, 1, 20'000);
      link.ClearEvent();
      LinkNews news = connection->TakeNews();
      if (holds(news)) return news;
      if (news.broken) return std::nullopt;
    }
    return std::nullopt;
  }
  std::string WhyBroken() {
    const auto news = Await([](const LinkNews& one) { return one.broken; });
    return news ? news->why : "it is not";
  }
  bool Joins(const std::string& name) {
    const uint64_t number = connection->Send(JoinOf(name));
    return Await([=](const LinkNews& one) { return one.acknowledged >= number; }).has_value();
  }
};

TEST(LinkConnection, ProbesJoinsAndReports) {
  TestController controller;
  AgentEnd agent(controller.socket());
  const auto probed = agent.Await([](const LinkNews& one) { return one.probed.has_value(); });
  ASSERT_TRUE(probed);
  EXPECT_EQ(*probed->probed, controller.loop->Epoch());
  ASSERT_TRUE(agent.Joins("n1"));
  const uint64_t beat = agent.connection->Send(Heartbeat{});
  const auto answered = agent.Await([=](const LinkNews& one) { return one.heartbeat == beat; });
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->lease_time, Duration::Seconds(10));
  EXPECT_EQ(answered->epoch, 1u);
}

// The lookup's descriptor is closed, and the socket gets its number.
TEST(LinkConnection, IsPolledAfterItsNameWasLookedUp) {
  TestController controller(With::kTls);
  const std::string port = std::to_string(controller.links->tcp_port());
  AgentEnd agent("localhost:" + port, controller.authority->certificate());
  EXPECT_THAT(agent.WhyBroken(), HasSubstr("must show a certificate"));
}

TEST(LinkConnection, IsRefusedWithoutACertificate) {
  TestController controller(With::kTls);
  AgentEnd stranger(controller.tcp_address(), controller.authority->certificate());
  EXPECT_THAT(stranger.WhyBroken(), HasSubstr("must show a certificate"));
}

// A node with a certificate, and its connections one after another.
struct CertifiedNode {
  TestController controller{With::kTls};
  LinkOptions options =
      AgentEnd::Options(controller.tcp_address(), controller.authority->certificate(), Certified());
  KeptResumption kept;

  Identity Certified() {
    const CertificateRequest request = NewCertificateRequest().value();
    const std::string certificate =
        controller.authority
            ->ForNode(request.request, "n1", TestController::kCertificateLife, RealNow())
            .value();
    const CertificateFacts facts = ReadCertificate(certificate).value();
    EXPECT_TRUE(
        controller.loop
            ->Execute("user:root", "", CertifyNode{"n1", {facts.fingerprint, facts.expires_at}, ""})
            .status);
    EXPECT_TRUE(controller.loop->AwaitObservers());  // one of them is the access guard
    return {request.key, certificate};
  }
  static Instant RealNow() { return Instant{static_cast<int64_t>(time(nullptr)) * 1'000'000'000}; }

  // Why a connection broke; "": its probe was answered, and its join, if it joins.
  std::string Connect(bool joins) {
    const Descriptor epoll(epoll_create1(EPOLL_CLOEXEC));
    const Descriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    LinkConnection connection(options, options.addresses[0], {epoll.get(), wake.get()}, kept);
    const uint64_t join = joins ? connection.Send(JoinOf("n1")) : 0;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    bool was_probed = false;
    while (std::chrono::steady_clock::now() < until) {
      pollfd ready{epoll.get(), POLLIN, 0};
      poll(&ready, 1, 100);
      const LinkNews news = connection.TakeNews();
      if (news.broken) return news.why;
      was_probed = was_probed || news.probed.has_value();
      if (was_probed && news.acknowledged >= join) return "";
    }
    return "nothing came";
  }
};

TEST(LinkConnection, LaterOnesResumeWithWhatWasGranted) {
  CertifiedNode node;
  EXPECT_EQ(node.Connect(true), "");
  EXPECT_EQ(node.kept.certificate, node.options.identity().certificate);
  const TlsResumption granted = node.kept.resumption;
  EXPECT_EQ(node.Connect(true), "");
  EXPECT_EQ(node.kept.resumption.ticket, granted.ticket) << "none was needed";
  node.kept.resumption.secret.back() ^= 1;
  EXPECT_THAT(node.Connect(false), HasSubstr("TLS handshake")) << "it was not used";
  EXPECT_EQ(node.Connect(false), "") << "what failed is forgotten";
  node.kept = {"another", {granted.ticket, "no secret of it"}};
  EXPECT_EQ(node.Connect(false), "") << "it was granted to another certificate";
}

TEST(LinkConnection, BreaksWithTheControllersReason) {
  TestController controller;
  AgentEnd agent(controller.socket());
  agent.connection->Send(AgentReport{});
  EXPECT_EQ(agent.WhyBroken(), "a connection begins with a probe or a join");
}

TEST(LinkConnection, BreaksIfTheControllerEnds) {
  TestController controller;
  AgentEnd agent(controller.socket());
  ASSERT_TRUE(agent.Joins("n1"));
  controller.Shutdown();
  EXPECT_EQ(agent.WhyBroken(), "the controller closed it");
  EXPECT_TRUE(agent.connection->TakeNews().broken) << "it stays so";
}

TEST(LinkConnection, BreaksIfThereIsNoController) {
  const Scratch scratch;
  for (const std::string& address : {"unix:" + scratch.In("none"), std::string("127.0.0.1:1")}) {
    AgentEnd agent(address);
    EXPECT_THAT(agent.WhyBroken(), HasSubstr("connect: ")) << address;
  }
  AgentEnd wrong("no address");
  EXPECT_THAT(wrong.WhyBroken(), HasSubstr("HOST:PORT"));
}

TEST(LinkConnection, TellsWhetherTlsIsMissing) {
  TestController controller(With::kTls);
  AgentEnd plain(controller.tcp_address());
  EXPECT_THAT(plain.WhyBroken(), HasSubstr("requires TLS"));
  AgentEnd tls(controller.socket(), controller.authority->certificate());
  EXPECT_THAT(tls.WhyBroken(), HasSubstr("TLS handshake"));
}

// Many megabytes, which no socket takes at once.
TEST(LinkConnection, SendsWhatTheControllerReadsLater) {
  TestController controller;
  AgentEnd agent(controller.socket());
  ASSERT_TRUE(agent.Joins("n1"));
  Heartbeat large;
  large.progress.resize(20'000);
  for (LeaseProgress& one : large.progress) one.refused = std::string(100, 'x');
  uint64_t last = 0;
  for (int i = 0; i < 10; ++i) last = agent.connection->Send(large);
  EXPECT_TRUE(agent.Await([=](const LinkNews& one) { return one.heartbeat == last; }));
}

TEST(LinkConnection, NeedsNoThread) {
  TestController controller;
  const auto threads = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  const auto before = threads();
  std::vector<std::unique_ptr<AgentEnd>> agents;
  for (int i = 0; i < 10; ++i) {
    agents.push_back(std::make_unique<AgentEnd>(controller.socket()));
    ASSERT_TRUE(agents.back()->Joins("n" + std::to_string(i)));
  }
  EXPECT_EQ(threads(), before);
}

}  // namespace
}  // namespace gp
