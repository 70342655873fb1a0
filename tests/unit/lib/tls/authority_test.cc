#include "lib/tls/authority.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

const Instant kNow{1'800'000'000'000'000'000};
constexpr Duration kLife = Duration::Minutes(60 * 24);

Authority NewAuthority() { return Authority::From(Authority::Make(kNow).value()).value(); }

std::string RequestText() { return NewCertificateRequest().value().request; }

TEST(Authority, ComesBackFromItsFiles) {
  const Identity identity = Authority::Make(kNow).value();
  const Authority authority = Authority::From(identity).value();
  EXPECT_EQ(authority.fingerprint(), ReadCertificate(identity.certificate)->fingerprint);
  EXPECT_EQ(authority.fingerprint().size(), 64U);
  EXPECT_NE(NewAuthority().fingerprint(), authority.fingerprint());
}

TEST(Authority, KeyAndCertificateMustBeEachOthers) {
  const Identity one = Authority::Make(kNow).value();
  const Identity other = Authority::Make(kNow).value();
  EXPECT_EQ(Authority::From({one.key, other.certificate}).error().code,
            ErrorCode::kInvalidArgument);
  EXPECT_FALSE(Authority::From({one.key, ""}));
  EXPECT_FALSE(Authority::From({"", one.certificate}));
  EXPECT_FALSE(Authority::From({one.key, one.certificate.substr(0, 200)}));
}

TEST(Authority, ANodesCertificateNamesItAndItsTime) {
  const Authority authority = NewAuthority();
  const CertificateFacts facts =
      ReadCertificate(authority.ForNode(RequestText(), "gpu-7.rack_2", kLife, kNow).value())
          .value();
  EXPECT_EQ(facts.node, "gpu-7.rack_2");
  EXPECT_EQ(facts.expires_at, kNow + kLife);
  EXPECT_EQ(facts.begins_at, kNow - Duration::Minutes(60));  // for clocks that are behind
  const CertificateFacts brief =
      ReadCertificate(authority.ForNode(RequestText(), "n1", Duration::Seconds(30), kNow).value())
          .value();
  EXPECT_EQ(brief.begins_at, kNow - Duration::Seconds(3));
}

TEST(Authority, TwoCertificatesAreNeverTheSame) {
  const Authority authority = NewAuthority();
  const std::string request = RequestText();
  const auto fingerprint = [&] {
    return ReadCertificate(authority.ForNode(request, "n1", kLife, kNow).value())->fingerprint;
  };
  EXPECT_NE(fingerprint(), fingerprint());
}

TEST(Authority, TheControllersIsOfNoNodeAndBringsTheAuthoritys) {
  const Authority authority = NewAuthority();
  const Identity identity =
      authority.ForController({"gpu.example.org", "10.0.0.1", "::1"}, kNow).value();
  EXPECT_EQ(ReadCertificate(identity.certificate)->node, "");
  EXPECT_TRUE(identity.certificate.ends_with(authority.certificate()));
  EXPECT_NE(identity.key, "");
}

TEST(Authority, NamesBringNothingElseIn) {
  const Authority authority = NewAuthority();
  for (const std::string name : {"", "a,DNS:b", "a b", "n1\n", "n/1", "a;b", "[x]", "\xc3\xa9"}) {
    EXPECT_EQ(authority.ForNode(RequestText(), name, kLife, kNow).error().code,
              ErrorCode::kInvalidArgument)
        << name;
    EXPECT_EQ(authority.ForController({name}, kNow).error().code, ErrorCode::kInvalidArgument)
        << name;
  }
}

TEST(Authority, ARequestIsSignedByItsOwnKey) {
  const Authority authority = NewAuthority();
  const std::string sound = RequestText();
  const auto is_refused = [&](const std::string& request) {
    return !authority.ForNode(request, "n1", kLife, kNow);
  };
  EXPECT_TRUE(is_refused(""));
  EXPECT_TRUE(is_refused("no request"));
  EXPECT_TRUE(is_refused(authority.certificate()));
  EXPECT_TRUE(is_refused(sound + std::string(20'000, ' ')));
}

// Each character of a request's inside, changed in its highest bit: the lowest ones of the last may
// mean nothing.
TEST(Authority, AChangedRequestIsRefused) {
  const Authority authority = NewAuthority();
  const std::string sound = RequestText();
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const size_t end = sound.find("\n-----END");
  for (size_t i = sound.find('\n') + 1; i < end; ++i) {
    const size_t digit = digits.find(sound[i]);
    if (digit == std::string::npos) continue;  // the end of a line, padding
    std::string changed = sound;
    changed[i] = digits[digit ^ 32];
    EXPECT_FALSE(authority.ForNode(changed, "n1", kLife, kNow)) << i << " of\n" << sound;
  }
}

TEST(ReadCertificate, TellsWhatIsNone) {
  EXPECT_EQ(ReadCertificate("").error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(ReadCertificate("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"));
  EXPECT_FALSE(ReadCertificate(RequestText()));
}

}  // namespace
}  // namespace gp
