#include <gtest/gtest.h>

#include <ctime>
#include <fstream>

#include "lib/http/fetch.h"
#include "lib/tls/authority.h"
#include "tests/unit/lib/http/loopback_server.h"

namespace gp {
namespace {

Instant WallClock() { return Instant{} + Duration::Seconds(std::time(nullptr)); }

// An authority whose certificate is in a file, as operators name it.
class FetchTls : public testing::Test {
 protected:
  FetchTls()
      : authority_(*Authority::From(*Authority::Make(WallClock()))),
        file_(testing::TempDir() + "fetch_tls_" + std::to_string(getpid()) + ".pem") {
    std::ofstream(file_) << authority_.certificate();
  }
  ~FetchTls() override { unlink(file_.c_str()); }

  ServerTls ServerFor(const std::string& name) const {
    return {*authority_.ForController({name}, WallClock()), ""};
  }
  FetchOptions Options() const {
    FetchOptions options;
    options.tls.authorities = file_;
    return options;
  }
  // With the certificate of a client.
  FetchOptions ClientOptions() const {
    const CertificateRequest request = *NewCertificateRequest();
    FetchOptions options = Options();
    options.tls.key = request.key;
    options.tls.certificate =
        *authority_.ForNode(request.request, "client-7", Duration::Minutes(60), WallClock());
    return options;
  }

  const Authority authority_;
  const std::string file_;
};

WebRequest SecretPost(const WebAddress& to) {
  WebRequest request;
  request.method = "POST";
  request.to = to;
  request.headers = {{"Authorization", "Bearer s3cret"}};
  request.body = std::string(100'000, 'x');
  return request;
}

TEST_F(FetchTls, TalksToAServerWithTheRightName) {
  const LoopbackServer server(ServerFor("127.0.0.1"), [](Peer& peer) {
    peer.ReadHead();
    peer.Respond("200 OK", "", peer.ReadBytes(100'000));
  });
  const FetchResult response = Fetch(SecretPost(server.Address()), Options());
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, std::string(100'000, 'x'));
}

TEST_F(FetchTls, SendsNothingToAServerWithAnotherNameOrAuthority) {
  std::string heard;
  LoopbackServer server(ServerFor("other.example.org"),
                        [&](Peer& peer) { heard = peer.ReadHead(); });
  const FetchResult wrong_name = Fetch(SecretPost(server.Address()), Options());
  ASSERT_FALSE(wrong_name);
  EXPECT_EQ(wrong_name.error().code, ErrorCode::kUnavailable);
  EXPECT_FALSE(wrong_name.error().may_be_received);
  EXPECT_NE(wrong_name.error().message.find("certificate verify failed"), std::string::npos)
      << wrong_name.error().message;
  server.End();
  EXPECT_EQ(heard, "");

  LoopbackServer stranger(
      {*Authority::From(*Authority::Make(WallClock()))->ForController({"127.0.0.1"}, WallClock()),
       ""},
      [&](Peer& peer) { heard = peer.ReadHead(); });
  EXPECT_FALSE(Fetch(SecretPost(stranger.Address()), Options()));
  EXPECT_FALSE(Fetch(SecretPost(stranger.Address()), {}));  // nor does the host know it
  stranger.End();
  EXPECT_EQ(heard, "");
}

TEST_F(FetchTls, OldVersionsAreRefused) {
  ServerTls tls = ServerFor("127.0.0.1");
  const auto respond = [](Peer& peer) {
    peer.ReadHead();
    peer.ReadBytes(100'000);
    peer.Respond("200 OK", "", "");
  };
  tls.version_max = TLS1_1_VERSION;
  const LoopbackServer old(tls, respond);
  const FetchResult refused = Fetch(SecretPost(old.Address()), Options());
  ASSERT_FALSE(refused);
  EXPECT_FALSE(refused.error().may_be_received);
  tls.version_max = TLS1_2_VERSION;
  const LoopbackServer newer(tls, respond);
  EXPECT_TRUE(Fetch(SecretPost(newer.Address()), Options()));
}

TEST_F(FetchTls, AServerThatSpeaksNoTlsIsGivenUp) {
  const LoopbackServer silent([](Peer& peer) { peer.WaitForEnd(); });
  WebAddress to = silent.Address();
  to.is_encrypted = true;
  FetchOptions options = Options();
  options.limits.total = options.limits.idle = Duration{};
  options.limits.handshake = Duration::Milliseconds(100);
  const FetchResult response = Fetch(SecretPost(to), options);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().reason, "no TLS handshake within 100ms");
  EXPECT_FALSE(response.error().may_be_received);
}

TEST_F(FetchTls, ShowsItsCertificateToAServerThatRequiresOne) {
  ServerTls tls = ServerFor("127.0.0.1");
  tls.client_authority = authority_.certificate();
  std::string name;
  LoopbackServer server(tls, [&](Peer& peer) {
    name = peer.ClientName();
    peer.ReadHead();
    peer.ReadBytes(100'000);
    peer.Respond("200 OK", "", "");
  });
  EXPECT_FALSE(Fetch(SecretPost(server.Address()), Options()));
  const FetchResult response = Fetch(SecretPost(server.Address()), ClientOptions());
  ASSERT_TRUE(response) << response.error().message;
  server.End();
  EXPECT_EQ(name, "gpu-platform node");
}

TEST_F(FetchTls, ACertificateNeedsItsKey) {
  const LoopbackServer server(ServerFor("127.0.0.1"), [](Peer& peer) { peer.WaitForEnd(); });
  FetchOptions options = ClientOptions();
  for (const std::string& key : {std::string(), NewCertificateRequest()->key}) {
    options.tls.key = key;
    const FetchResult response = Fetch(SecretPost(server.Address()), options);
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::kInvalidArgument);
    EXPECT_FALSE(response.error().may_be_received);
  }
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(FetchTls, ARedirectNeverLeadsOutOfTls) {
  const LoopbackServer plain([](Peer& peer) { peer.Respond("200 OK", "", ""); });
  const LoopbackServer server(ServerFor("127.0.0.1"), [&](Peer& peer) {
    peer.ReadHead();
    peer.Respond("302 Found", "location: " + plain.Url("/p") + "\r\n", "");
  });
  FetchOptions options = Options();
  options.redirects_max = 5;
  WebRequest request;
  request.to = server.Address();
  const FetchResult response = Fetch(request, options);
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(response.error().reason,
            "its redirect is not followed: from https to http, to 127.0.0.1");
  EXPECT_EQ(plain.connections(), 0);
}

TEST_F(FetchTls, ARedirectShowsTheClientCertificateToNobodyElse) {
  ServerTls tls = ServerFor("127.0.0.1");
  tls.client_authority = authority_.certificate();
  bool is_reached = false;
  LoopbackServer other(tls, [&](Peer&) { is_reached = true; });
  const LoopbackServer home(tls, [&](Peer& peer) {
    peer.ReadHead();
    peer.Respond("302 Found", "location: " + other.Url() + "\r\n", "");
  });
  FetchOptions options = ClientOptions();
  options.redirects_max = 1;
  WebRequest request;
  request.to = home.Address();
  EXPECT_FALSE(Fetch(request, options));
  EXPECT_EQ(other.connections(), 1);
  other.End();
  EXPECT_FALSE(is_reached);
}

// Whoever cuts a connection must not be able to shorten what was sent.
TEST_F(FetchTls, ABodyWithoutLengthNeedsTlssOwnEnd) {
  std::atomic<bool> ends_well = false;
  const LoopbackServer server(ServerFor("127.0.0.1"), [&](Peer& peer) {
    peer.ReadHead();
    peer.Say("HTTP/1.1 200 OK\r\n\r\nall of it");
    if (ends_well) peer.EndTls();
  });
  WebRequest request;
  request.to = server.Address();
  EXPECT_FALSE(Fetch(request, Options()));
  ends_well = true;
  const FetchResult response = Fetch(request, Options());
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "all of it");
}

}  // namespace
}  // namespace gp
