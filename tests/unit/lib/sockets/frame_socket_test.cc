#include "lib/sockets/frame_socket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <optional>
#include <utility>
#include <vector>

#include "lib/tls/authority.h"

namespace gp {
namespace {

constexpr size_t kFrameMax = 8 << 20;

std::pair<Descriptor, Descriptor> SocketPair() {
  int ends[2] = {-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

struct Ends {
  FrameSocket a;
  FrameSocket b;
};

Ends PlainEnds(size_t frame_max = kFrameMax) {
  auto [a, b] = SocketPair();
  return {{std::move(a), nullptr, frame_max}, {std::move(b), nullptr, frame_max}};
}

// Frames that have come to `to` once both ends have done what they can.
std::vector<std::string> Exchange(FrameSocket& from, FrameSocket& to) {
  std::vector<std::string> frames;
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_TRUE(from.Continue());
    EXPECT_TRUE(to.Continue());
    EXPECT_TRUE(to.Receive());
    EXPECT_TRUE(from.Receive());
    while (const auto frame = to.NextFrame()) frames.emplace_back(*frame);
    if (!from.has_unsent() && from.is_open() && to.is_open() && i > 10) break;
  }
  return frames;
}

const std::vector<std::string> kFrames = {
    "", "a", std::string(70'000, 'b'), "c", std::string(5 << 20, 'd'), std::string("\0\xff", 2)};

TEST(FrameSocket, CarriesFramesOfAllSizesInOrder) {
  Ends ends = PlainEnds();
  for (const std::string& frame : kFrames) ASSERT_TRUE(ends.a.Send(frame));
  EXPECT_TRUE(ends.a.has_unsent()) << "no socket holds five megabytes";
  EXPECT_TRUE(ends.a.awaits_write());
  EXPECT_EQ(Exchange(ends.a, ends.b), kFrames);
  EXPECT_FALSE(ends.a.awaits_write());
}

TEST(FrameSocket, TakesAFrameThatComesByteByByte) {
  auto [raw, end] = SocketPair();
  FrameSocket socket(std::move(end), nullptr, kFrameMax);
  const std::string bytes("\0\0\0\3abc\0\0\0\0", 11);
  std::vector<std::string> frames;
  for (const char byte : bytes) {
    ASSERT_EQ(write(raw.get(), &byte, 1), 1);
    ASSERT_TRUE(socket.Receive());
    while (const auto frame = socket.NextFrame()) frames.emplace_back(*frame);
  }
  EXPECT_EQ(frames, (std::vector<std::string>{"abc", ""}));
}

TEST(FrameSocket, RefusesAFrameThatIsTooLongBeforeItHasCome) {
  auto [raw, end] = SocketPair();
  FrameSocket socket(std::move(end), nullptr, 1'000);
  ASSERT_EQ(write(raw.get(), "\0\0\3\xe9", 4), 4);
  const Status received = socket.Receive();
  ASSERT_FALSE(received);
  EXPECT_EQ(received.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(received.error().message, testing::HasSubstr("1001 bytes; at most 1000"));
  EXPECT_FALSE(socket.NextFrame());
}

TEST(FrameSocket, RefusesOneThatIsTooLongAfterAnother) {
  Ends ends = PlainEnds(10);
  ASSERT_TRUE(ends.a.Send("short"));
  ASSERT_TRUE(ends.a.Send("longer than ten"));
  ASSERT_TRUE(ends.b.Receive());
  EXPECT_EQ(ends.b.NextFrame(), "short");
  EXPECT_FALSE(ends.b.NextFrame());
  EXPECT_FALSE(ends.b.Receive());
}

TEST(FrameSocket, ReturnsWhatCameBeforeTheEnd) {
  Ends ends = PlainEnds();
  ASSERT_TRUE(ends.a.Send("last"));
  ends.a.Close();
  ASSERT_TRUE(ends.b.Receive());
  EXPECT_EQ(ends.b.NextFrame(), "last");
  ASSERT_TRUE(ends.b.Receive());
  EXPECT_TRUE(ends.b.has_ended());
  EXPECT_FALSE(ends.b.Send("nobody reads this"));
}

TEST(FrameSocket, HoldsNoMemoryForFramesThatAreGone) {
  Ends ends = PlainEnds();
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(ends.a.Send(std::string(100'000, 'x')));
    EXPECT_EQ(Exchange(ends.a, ends.b).size(), 1U);
    EXPECT_FALSE(ends.b.HasMore());
  }
}

// Certificates are checked against the real clock.
Instant RealNow() { return Instant{static_cast<int64_t>(time(nullptr)) * 1'000'000'000}; }

struct TlsEnds {
  Authority authority = Authority::From(Authority::Make(RealNow()).value()).value();
  TlsSide server = Server(authority.SecretFor("tickets"));
  std::optional<FrameSocket> a;  // the client
  std::optional<FrameSocket> b;

  TlsSide Server(const std::string& ticket_key) const {
    return TlsSide::Server(authority.ForController({"127.0.0.1"}, RealNow()).value(),
                           authority.certificate(), ticket_key)
        .value();
  }
  TlsSide Client(const Identity& identity) const {
    return TlsSide::Client(authority.certificate(), kControllerName, identity).value();
  }
  // What the server grants to node n1.
  TlsResumption Granted() {
    Connect(Client(NodeIdentity("n1")));
    EXPECT_EQ(FirstError(), "");
    return b->GrantResumption().value();
  }
  // Whose certificate the server then knows; "": it knows none.
  std::string NodeThatServerKnows() const {
    const std::optional<CertificateFacts> peer = b->PeerCertificate();
    return peer ? peer->node : "";
  }
  Identity NodeIdentity(const std::string& node) const {
    const CertificateRequest request = NewCertificateRequest().value();
    return {request.key,
            authority.ForNode(request.request, node, Duration::Minutes(60), RealNow()).value()};
  }
  void Connect(const TlsSide& client) {
    auto [client_end, server_end] = SocketPair();
    a.emplace(std::move(client_end), &client, kFrameMax);
    b.emplace(std::move(server_end), &server, kFrameMax);
  }
  // The first error of the two, once the handshake is over.
  std::string FirstError() {
    for (int i = 0; i < 100; ++i) {
      for (FrameSocket* end : {&*a, &*b}) {
        if (const Status gone_on = end->Continue(); !gone_on) return gone_on.error().message;
        if (const Status received = end->Receive(); !received) return received.error().message;
      }
    }
    return "";
  }
};

TEST(FrameSocket, CarriesTheSameEncrypted) {
  std::signal(SIGPIPE, SIG_IGN);
  TlsEnds tls;
  const TlsSide client =
      TlsSide::Client(tls.authority.certificate(), kControllerName, tls.NodeIdentity("n1")).value();
  tls.Connect(client);
  for (const std::string& frame : kFrames) ASSERT_TRUE(tls.a->Send(frame));
  EXPECT_FALSE(tls.a->is_open());
  EXPECT_EQ(Exchange(*tls.a, *tls.b), kFrames);
  EXPECT_EQ(tls.b->PeerCertificate()->node, "n1");
  for (const std::string& frame : kFrames) ASSERT_TRUE(tls.b->Send(frame));
  EXPECT_EQ(Exchange(*tls.b, *tls.a), kFrames);
  tls.a->Close();
  EXPECT_TRUE(tls.b->Receive());
  EXPECT_TRUE(tls.b->has_ended());
}

// A part of a record has come: nothing can be done before the rest has.
TEST(FrameSocket, HasNoMoreThanAPartOfARecord) {
  TlsEnds tls;
  const TlsSide side =
      TlsSide::Client(tls.authority.certificate(), kControllerName, tls.NodeIdentity("n1")).value();
  auto [client, from_client] = SocketPair();
  auto [to_server, server] = SocketPair();
  FrameSocket a(std::move(client), &side, kFrameMax);
  FrameSocket b(std::move(server), &tls.server, kFrameMax);
  const auto relay = [](const Descriptor& from, const Descriptor& to, size_t most) {
    std::string bytes(most, '\0');
    const ssize_t size = read(from.get(), bytes.data(), bytes.size());
    if (size <= 0) return;
    EXPECT_EQ(write(to.get(), bytes.data(), static_cast<size_t>(size)), size);
  };
  while (!a.is_open() || !b.is_open()) {
    ASSERT_TRUE(a.Continue() && b.Continue());
    relay(from_client, to_server, 64 << 10);
    relay(to_server, from_client, 64 << 10);
  }
  ASSERT_TRUE(a.Send(std::string(1'000, 'x')));
  relay(from_client, to_server, 500);
  ASSERT_TRUE(b.Receive());
  EXPECT_FALSE(b.NextFrame());
  EXPECT_FALSE(b.HasMore());
  relay(from_client, to_server, 64 << 10);
  ASSERT_TRUE(b.Receive());
  EXPECT_EQ(b.NextFrame(), std::string(1'000, 'x'));
  EXPECT_FALSE(b.HasMore());
}

TEST(FrameSocket, AServerLearnsThatAClientPresentsNoCertificate) {
  TlsEnds tls;
  tls.Connect(TlsSide::Client(tls.authority.certificate(), kControllerName, {}).value());
  ASSERT_TRUE(tls.a->Send("hello"));
  EXPECT_EQ(Exchange(*tls.a, *tls.b), std::vector<std::string>{"hello"});
  EXPECT_FALSE(tls.b->PeerCertificate());
}

TEST(FrameSocket, BothSidesCheckTheOthersCertificate) {
  TlsEnds tls;
  const Authority other = Authority::From(Authority::Make(RealNow()).value()).value();
  const auto client = [](const std::string& authority, const std::string& name,
                         const Identity& identity) {
    return TlsSide::Client(authority, name, identity).value();
  };
  tls.Connect(client(other.certificate(), kControllerName, {}));
  EXPECT_THAT(tls.FirstError(), testing::HasSubstr("certificate verify failed"));
  tls.Connect(client(tls.authority.certificate(), "another.name", {}));
  EXPECT_THAT(tls.FirstError(), testing::HasSubstr("certificate verify failed"));
  tls.Connect(client(tls.authority.certificate(), kControllerName,
                     other.ForController({"n1"}, RealNow()).value()));
  EXPECT_THAT(tls.FirstError(), testing::HasSubstr("certificate"));
}

// The client has no certificate: what it was granted is all that it shows.
TEST(FrameSocket, AClientResumesWithoutACertificate) {
  TlsEnds tls;
  const TlsResumption granted = tls.Granted();
  tls.Connect(tls.Client({}).Resuming(granted));
  ASSERT_TRUE(tls.a->Send("hello"));
  EXPECT_EQ(Exchange(*tls.a, *tls.b), std::vector<std::string>{"hello"});
  EXPECT_EQ(tls.NodeThatServerKnows(), "n1");
  EXPECT_FALSE(tls.b->GrantResumption()) << "the first one remains valid";
  tls.server = tls.Server(tls.authority.SecretFor("tickets"));
  tls.Connect(tls.Client({}).Resuming(granted));
  EXPECT_EQ(tls.FirstError(), "");
  EXPECT_EQ(tls.NodeThatServerKnows(), "n1") << "a controller that starts again keeps nothing";
}

TEST(FrameSocket, WhereATicketIsNotAcceptedCertificatesArePresented) {
  TlsEnds tls;
  const TlsResumption granted = tls.Granted();
  for (const std::string& key : {tls.authority.SecretFor("others"), std::string()}) {
    tls.server = tls.Server(key);
    tls.Connect(tls.Client(tls.NodeIdentity("n2")).Resuming(granted));
    EXPECT_EQ(tls.FirstError(), "");
    EXPECT_EQ(tls.NodeThatServerKnows(), "n2");
    tls.Connect(tls.Client({}).Resuming(granted));
    EXPECT_EQ(tls.FirstError(), "");
    EXPECT_EQ(tls.NodeThatServerKnows(), "");
  }
}

TEST(FrameSocket, ATicketIsNothingWithoutItsSecret) {
  TlsEnds tls;
  TlsResumption granted = tls.Granted();
  granted.secret.back() ^= 1;
  tls.Connect(tls.Client(tls.NodeIdentity("n1")).Resuming(granted));
  EXPECT_NE(tls.FirstError(), "");
  EXPECT_FALSE(tls.b->is_open());
}

TEST(FrameSocket, AServerThatHasNotTheKeyCannotAcceptATicket) {
  TlsEnds tls;
  const TlsResumption granted = tls.Granted();
  TlsEnds other;
  tls.server = other.server;
  tls.Connect(tls.Client(tls.NodeIdentity("n1")).Resuming(granted));
  EXPECT_THAT(tls.FirstError(), testing::HasSubstr("certificate verify failed"));
}

TEST(FrameSocket, WhoPresentsNoCertificateIsGrantedNothing) {
  TlsEnds tls;
  tls.Connect(tls.Client({}));
  EXPECT_EQ(tls.FirstError(), "");
  EXPECT_FALSE(tls.b->GrantResumption());
}

TEST(FrameSocket, TellsThatThePeerDoesNotSpeakTls) {
  TlsEnds tls;
  tls.Connect(TlsSide::Client(tls.authority.certificate(), kControllerName, {}).value());
  tls.b.reset();
  EXPECT_THAT(tls.a->Continue().error().message, testing::HasSubstr("TLS handshake"));
}

}  // namespace
}  // namespace gp
