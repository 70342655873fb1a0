// Who may speak as a node over a network: every way to show the wrong thing.

#include <gmock/gmock.h>
#include <grpcpp/client_context.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "adapters/outbound/grpc/channel.h"
#include "adapters/outbound/grpc/node_credentials.h"
#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/wire/bearer.h"
#include "adapters/wire/call_deadline.h"
#include "adapters/wire/node_link.h"
#include "gpu_platform/v1/node.grpc.pb.h"
#include "lib/secrets/secrets.h"
#include "lib/tls/fetch_authority.h"
#include "tests/support/link_client.h"
#include "tests/support/test_cluster.h"
#include "tests/support/test_controller.h"
#include "tests/support/wait_until.h"

namespace gp {
namespace {

using grpc::StatusCode;
using testing::HasSubstr;

constexpr const char* kJoinToken = TestController::kJoinToken;
constexpr Duration kLife = TestController::kCertificateLife;

struct Rig : TestController {
  explicit Rig(With with = With::kTls) : TestController(with) {}

  std::string address() const { return tcp_address(); }

  // A key with a certificate that this authority gives at that time, unknown to the controller.
  static Identity IdentityBy(const Authority& by, const std::string& node, Instant at) {
    const CertificateRequest request = NewCertificateRequest().value();
    return {request.key, by.ForNode(request.request, node, kLife, at).value()};
  }
  std::unique_ptr<v1::NodeLink::Stub> Stub(const Identity& shown) const {
    return v1::NodeLink::NewStub(OpenChannel(address(), {authority->certificate(), shown}));
  }
  static void SetUp(grpc::ClientContext& context, const std::string& token) {
    context.set_deadline(DeadlineIn(std::chrono::seconds(10)));
    if (!token.empty()) context.AddMetadata("gp-join-token", token);
  }

  grpc::Status Certify(const std::string& node, const Identity& shown, const std::string& token,
                       Identity* given = nullptr) {
    const CertificateRequest request = NewCertificateRequest().value();
    grpc::ClientContext context;
    SetUp(context, token);
    v1::CertifyRequest message;
    message.set_node(node);
    message.set_request(request.request);
    v1::CertifyReply reply;
    const grpc::Status status = Stub(shown)->Certify(&context, message, &reply);
    if (given != nullptr) *given = {request.key, reply.certificate()};
    return status;
  }
  Identity Certified(const std::string& node) {
    Identity identity;
    EXPECT_TRUE(Certify(node, {}, kJoinToken, &identity).ok());
    return identity;
  }
  // Empty: it has joined; otherwise the reason why not.
  std::string Join(const std::string& node, const Identity& shown, const std::string& token = "",
                   const std::optional<TlsResumption>& resumption = std::nullopt) {
    LinkClient client(address(), token, authority->certificate(), shown, resumption);
    v1::AgentMessage message;
    message.set_number(1);
    NodeFacts facts = TestCluster::MakeFacts(node, {0, 0});
    facts.machine = "machine of " + node;
    ToProto(facts, message.mutable_join()->mutable_facts());
    message.mutable_join()->set_incarnation(1);
    message.mutable_join()->set_fresh(true);
    client.Write(message);
    v1::ControllerMessage answer;
    while (client.Read(&answer)) {
      if (answer.has_resumption())
        granted = {answer.resumption().ticket(), answer.resumption().secret()};
      if (answer.answers() == 1) return "";
    }
    return client.Rest();
  }
  std::string JoinTokenFor(const std::string& node) {
    static int made = 0;
    const std::string secret = std::string(kJoinTokenPrefix) + std::to_string(++made);
    const NodeJoinToken token{Sha256(secret), loop->WallNow() + Duration::Minutes(30), ""};
    EXPECT_TRUE(loop->Execute("user:root", "", IssueJoinToken{node, token}).status);
    EXPECT_TRUE(loop->AwaitObservers());
    return secret;
  }
  void Revoke(const std::string& node) {
    EXPECT_TRUE(loop->Execute("user:root", "", RevokeNode{node}).status);
    EXPECT_TRUE(loop->AwaitObservers());  // one of them is the access guard
  }
  bool HasNodes() {
    return loop->Read([&](const State& state) { has_nodes_ = !state.nodes.all.empty(); }) &&
           has_nodes_;
  }

  std::optional<TlsResumption> granted;  // by the last join that was granted any

 private:
  bool has_nodes_ = false;
};

TEST(NodeCertificates, TheJoinTokenBringsANodeAndItsCertificateLetsItIn) {
  Rig rig;
  const Identity n1 = rig.Certified("n1");
  EXPECT_EQ(ReadCertificate(n1.certificate)->node, "n1");
  EXPECT_EQ(rig.Join("n1", n1), "");
}

TEST(NodeCertificates, AJoinTokenOfItsOwnLetsANodeInOnce) {
  Rig rig(Rig::With::kTlsSingleUseJoins);
  EXPECT_THAT(rig.Certify("n1", {}, kJoinToken).error_message(),
              HasSubstr("gpu-platform nodes join-token n1"));
  const std::string token = rig.JoinTokenFor("n1");
  EXPECT_THAT(rig.Certify("n2", {}, token).error_message(), HasSubstr("no join token of node n2"));
  Identity n1;
  ASSERT_TRUE(rig.Certify("n1", {}, token, &n1).ok());
  EXPECT_EQ(rig.Join("n1", n1), "");
  rig.Revoke("n1");
  EXPECT_THAT(rig.Certify("n1", {}, token).error_message(), HasSubstr("was used"));
}

// The newest one counts.
TEST(NodeCertificates, AJoinTokenReplacesTheOneBefore) {
  Rig rig;
  const std::string before = rig.JoinTokenFor("n1");
  const std::string token = rig.JoinTokenFor("n1");
  EXPECT_THAT(rig.Certify("n1", {}, before).error_message(), HasSubstr("replaced"));
  EXPECT_TRUE(rig.Certify("n1", {}, token).ok());
}

TEST(NodeCertificates, ATicketIsWorthWhatTheCertificateIs) {
  Rig rig;
  ASSERT_EQ(rig.Join("n1", rig.Certified("n1")), "");
  ASSERT_TRUE(rig.granted);
  const TlsResumption ticket = *std::exchange(rig.granted, std::nullopt);
  EXPECT_EQ(rig.Join("n1", {}, "", ticket), "");
  EXPECT_FALSE(rig.granted) << "the first one remains valid";
  EXPECT_THAT(rig.Join("n2", {}, "", ticket), HasSubstr("the certificate of node n1, not of n2"));
  rig.Revoke("n1");
  EXPECT_THAT(rig.Join("n1", {}, "", ticket), HasSubstr("revoked"));
}

TEST(NodeCertificates, NothingElseLetsIn) {
  Rig rig;
  const Instant now = rig.clock.Now();
  const Identity n1 = rig.Certified("n1");
  constexpr const char* kTlsRefuses = "TLS";
  const Authority other = Authority::From(Authority::Make(now).value()).value();
  struct Case {
    const char* what;
    std::string node;
    Identity shown;
    const char* why;
  };
  const std::vector<Case> cases = {
      {"no certificate", "n1", {}, "must show a certificate"},
      {"another node's certificate", "n2", n1, "the certificate of node n1, not of n2"},
      {"of our authority, and never given out", "n1", Rig::IdentityBy(*rig.authority, "n1", now),
       "revoked"},
      {"of our authority, for a node that has none", "n3",
       Rig::IdentityBy(*rig.authority, "n3", now), "revoked"},
      {"another authority's", "n1", Rig::IdentityBy(other, "n1", now), kTlsRefuses},
      {"over", "n1", Rig::IdentityBy(*rig.authority, "n1", now - kLife * 2), kTlsRefuses},
      {"not yet", "n1", Rig::IdentityBy(*rig.authority, "n1", now + kLife * 3), kTlsRefuses},
      {"the controller's own kind", "n1", rig.authority->ForController({"n1"}, now).value(),
       kTlsRefuses},
      {"signed by itself", "n1", Authority::Make(now).value(), kTlsRefuses},
  };
  for (const Case& one : cases) {
    EXPECT_THAT(rig.Join(one.node, one.shown, kJoinToken), HasSubstr(one.why)) << one.what;
  }
  EXPECT_FALSE(rig.HasNodes());
}

TEST(NodeCertificates, OneThatWasRevokedLetsInNoMoreAndRenewsNothing) {
  Rig rig;
  const Identity n1 = rig.Certified("n1");
  rig.Revoke("n1");
  EXPECT_THAT(rig.Join("n1", n1, kJoinToken), HasSubstr("revoked"));
  EXPECT_EQ(rig.Certify("n1", n1, "").error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_TRUE(rig.Certify("n1", n1, kJoinToken).ok());  // as a new one
}

TEST(NodeCertificates, ANodeThatIsHereCannotBeTakenOver) {
  Rig rig;
  const Identity n1 = rig.Certified("n1");
  const Identity n2 = rig.Certified("n2");
  EXPECT_EQ(rig.Certify("n1", {}, kJoinToken).error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(rig.Certify("n1", n2, kJoinToken).error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(rig.Certify("n1", n2, "").error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(rig.Certify("n3", {}, "wrong").error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(rig.Certify("n3", {}, "").error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(rig.Certify("n,3", {}, kJoinToken).error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(rig.Certify("n1", n1, "").ok());
}

TEST(NodeCertificates, NothingIsSaidInTheClear) {
  Rig rig;
  grpc::ClientContext context;
  Rig::SetUp(context, kJoinToken);
  v1::CertifyReply reply;
  EXPECT_EQ(
      v1::NodeLink::NewStub(OpenChannel(rig.address()))->Certify(&context, {}, &reply).error_code(),
      StatusCode::UNAVAILABLE);
  // On the machine's own socket nothing is encrypted, and no certificate is given.
  grpc::ClientContext local;
  Rig::SetUp(local, kJoinToken);
  EXPECT_EQ(
      v1::NodeLink::NewStub(OpenChannel(rig.socket()))->Certify(&local, {}, &reply).error_code(),
      StatusCode::FAILED_PRECONDITION);
}

TEST(NodeCertificates, TheAuthorityIsKnownByItsFingerprintAlone) {
  Rig rig;
  EXPECT_EQ(FetchAuthority(rig.address(), rig.authority->fingerprint()).value(),
            rig.authority->certificate());
  EXPECT_EQ(FetchAuthority(rig.address(), std::string(64, '0')).error().code,
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(FetchAuthority("127.0.0.1:1", rig.authority->fingerprint()).error().code,
            ErrorCode::kUnavailable);
}

TEST(NodeCertificates, ANodeIsNoController) {
  Rig rig;
  // Whoever has a node's certificate listens in the controller's place.
  const Identity n1 = rig.Certified("n1");
  const std::string aside = rig.directory + "/aside";
  std::filesystem::create_directory(aside);
  std::unique_ptr<Server> false_server;
  std::unique_ptr<LinkServer> false_links;
  rig.Listen(Identity{n1.key, n1.certificate + rig.authority->certificate()}, aside, false_server,
             false_links);
  const std::string address = "127.0.0.1:" + std::to_string(false_links->tcp_port());
  grpc::ClientContext context;
  Rig::SetUp(context, kJoinToken);
  v1::CertifyReply reply;
  const auto stub = v1::NodeLink::NewStub(OpenChannel(address, {rig.authority->certificate(), {}}));
  EXPECT_EQ(stub->Certify(&context, {}, &reply).error_code(), StatusCode::UNAVAILABLE);
  LinkClient agent(address, "", rig.authority->certificate(), n1);
  EXPECT_THAT(agent.Rest(), HasSubstr("certificate verify failed"));
  false_links->Shutdown();
  false_server->Shutdown();
}

struct Kept {
  std::mutex mutex;
  std::optional<Identity> identity;
  int writes = 0;
  NodeCredentials::Storage Storage() {
    return {[this]() -> Result<Identity> {
              const std::lock_guard lock(mutex);
              if (!identity) return Fail(NotFound("none"));
              return *identity;
            },
            [this](const Identity& given) {
              const std::lock_guard lock(mutex);
              identity = given;
              ++writes;
              return Ok();
            }};
  }
};

TEST(NodeCredentials, AreKeptAndRenewedInTime) {
  Rig rig;
  Kept kept;
  const NodeCredentials::Options options{
      {rig.address()}, kJoinToken, rig.authority->certificate(), "n1"};
  {
    NodeCredentials credentials(options, kept.Storage(), rig.clock);
    ASSERT_TRUE(credentials.Open());
    EXPECT_EQ(rig.Join("n1", credentials.Security().identity), "");
  }
  EXPECT_EQ(kept.writes, 1);
  {
    NodeCredentials credentials(options, kept.Storage(), rig.clock);
    ASSERT_TRUE(credentials.Open());
  }
  EXPECT_EQ(kept.writes, 1);  // it still counts
  // A clock on which a third of its time is left, and no more.
  ManualClock later;
  later.StepWall(rig.clock.Now() + Duration::Minutes(45) - later.Now());
  NodeCredentials credentials(options, kept.Storage(), later);
  ASSERT_TRUE(credentials.Open());
  EXPECT_TRUE(WaitUntil([&] { return kept.writes >= 2; }));
  EXPECT_EQ(kept.writes, 2);
}

TEST(NodeCredentials, TellWhyThereAreNone) {
  Rig rig;
  Kept kept;
  NodeCredentials wrong({{rig.address()}, "wrong", rig.authority->certificate(), "n1"},
                        kept.Storage(), rig.clock);
  EXPECT_EQ(wrong.Open().error().code, ErrorCode::kUnauthenticated);
  (void)rig.Certified("n2");
  NodeCredentials taken({{rig.address()}, kJoinToken, rig.authority->certificate(), "n2"},
                        kept.Storage(), rig.clock);
  EXPECT_EQ(taken.Open().error().code, ErrorCode::kConflict);
  EXPECT_EQ(kept.writes, 0);
}

TEST(NodeCredentials, AreAskedOfTheNextControllerWhereOneDoesNotAnswer) {
  Rig rig;
  Kept kept;
  NodeCredentials credentials(
      {{"127.0.0.1:1", rig.address()}, kJoinToken, rig.authority->certificate(), "n1"},
      kept.Storage(), rig.clock);
  const Status opened = credentials.Open();
  EXPECT_TRUE(opened) << opened.error().message;
}

}  // namespace
}  // namespace gp
