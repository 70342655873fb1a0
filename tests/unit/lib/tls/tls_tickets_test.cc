#include "lib/tls/tls_tickets.h"

#include <gtest/gtest.h>

#include "lib/tls/authority.h"

namespace gp {
namespace {

constexpr Instant At(int64_t second) { return Instant{second * 1'000'000'000}; }

const CertificateFacts kPeer{"node-with-a-name", std::string(64, 'a'), At(100), At(200)};

TEST(TlsTickets, KeepWhatWasVerified) {
  const TlsTickets tickets(std::string(TlsTickets::kKeyBytes, 'k'));
  const TlsResumption granted = tickets.Grant(kPeer).value();
  const auto opened =
      TlsTickets(std::string(TlsTickets::kKeyBytes, 'k')).Open(granted.ticket, At(150));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->secret, granted.secret);
  EXPECT_EQ(opened->peer.node, kPeer.node);
  EXPECT_EQ(opened->peer.fingerprint, kPeer.fingerprint);
  EXPECT_EQ(opened->peer.begins_at, kPeer.begins_at);
  EXPECT_EQ(opened->peer.expires_at, kPeer.expires_at);
}

TEST(TlsTickets, EndWithTheCertificate) {
  const TlsTickets tickets(std::string(TlsTickets::kKeyBytes, 'k'));
  const std::string ticket = tickets.Grant(kPeer).value().ticket;
  EXPECT_FALSE(tickets.Open(ticket, At(99)));
  EXPECT_TRUE(tickets.Open(ticket, At(100)));
  EXPECT_FALSE(tickets.Open(ticket, At(200)));
}

TEST(TlsTickets, NoneIsOpenedThatWasChanged) {
  const TlsTickets tickets(std::string(TlsTickets::kKeyBytes, 'k'));
  const std::string ticket = tickets.Grant(kPeer).value().ticket;
  for (size_t i = 0; i < ticket.size(); ++i) {
    std::string changed = ticket;
    changed[i] ^= 1;
    EXPECT_FALSE(tickets.Open(changed, At(150))) << i;
    EXPECT_FALSE(tickets.Open(ticket.substr(0, i), At(150))) << i;
  }
  EXPECT_FALSE(TlsTickets(std::string(TlsTickets::kKeyBytes, 'l')).Open(ticket, At(150)));
}

TEST(TlsTickets, TwoOfOnePeerHaveNothingInCommon) {
  const TlsTickets tickets(std::string(TlsTickets::kKeyBytes, 'k'));
  const TlsResumption one = tickets.Grant(kPeer).value();
  const TlsResumption other = tickets.Grant(kPeer).value();
  EXPECT_NE(one.secret, other.secret);
  EXPECT_NE(one.ticket, other.ticket);
  EXPECT_EQ(one.secret.size(), TlsTickets::kSecretBytes);
  EXPECT_EQ(one.ticket.find(kPeer.node), std::string::npos);
}

TEST(Authority, ItsSecretsDependOnItsKeyAndThePurpose) {
  const Identity kept = Authority::Make(At(1'000'000)).value();
  const Authority authority = Authority::From(kept).value();
  EXPECT_EQ(authority.SecretFor("a").size(), TlsTickets::kKeyBytes);
  EXPECT_EQ(authority.SecretFor("a"), Authority::From(kept).value().SecretFor("a"));
  EXPECT_NE(authority.SecretFor("a"), authority.SecretFor("b"));
  const Authority other = Authority::From(Authority::Make(At(1'000'000)).value()).value();
  EXPECT_NE(authority.SecretFor("a"), other.SecretFor("a"));
}

}  // namespace
}  // namespace gp
