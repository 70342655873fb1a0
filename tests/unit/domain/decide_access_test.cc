// Roles, tokens and certificates: how many there may be, and which are refused with which words.

#include "domain/cluster/next_deadline.h"
#include "tests/unit/domain/cluster_fixture.h"

namespace gp {
namespace {

class DecideAccess : public ClusterFixture {
 protected:
  std::string Grant(const std::string& subject, std::optional<Role> role,
                    const std::string& queue = "") {
    return Refusal(GrantRole{subject, queue, role});
  }
  // A secret of its own for each number.
  AccessToken TokenOf(uint32_t uid, uint64_t number) const {
    AccessToken token;
    token.label = "test";
    token.user = {"u" + std::to_string(uid), uid, 1};
    std::string digits = std::to_string(number);
    token.hash = std::string(kTokenHashLength - digits.size(), '0') + digits;
    token.expires_at = cluster_.now() + Duration::Minutes(60);
    return token;
  }
  std::string Issue(const AccessToken& token) { return Refusal(IssueToken{token}); }
  std::string Certify(const std::string& name, char fingerprint, const std::string& shown = "") {
    NodeCertificate certificate;
    certificate.fingerprint = std::string(kFingerprintLength, fingerprint);
    certificate.expires_at = cluster_.now() + Duration::Minutes(60);
    return Refusal(CertifyNode{name, certificate, shown});
  }
  std::string CertifyBy(const std::string& name, char join_token) {
    const NodeCertificate certificate{std::string(kFingerprintLength, 'f'),
                                      cluster_.now() + Duration::Minutes(60)};
    return Refusal(CertifyNode{name, certificate, "", std::string(kTokenHashLength, join_token)});
  }
  IssueJoinToken JoinTokenOf(const std::string& name, char hash,
                             Duration life = Duration::Minutes(30)) const {
    return {name, {std::string(kTokenHashLength, hash), cluster_.now() + life, ""}};
  }
};

TEST_F(DecideAccess, ASubjectIsAUserOrEverybody) {
  for (const char* subject : {"ana", "*", "ana@example.org", "svc-$1"})
    EXPECT_EQ(Grant(subject, Role::kViewer), "") << subject;
  for (const std::string& subject :
       {std::string(), std::string("a b"), std::string("a\n"), std::string(129, 'a')})
    EXPECT_EQ(Grant(subject, Role::kViewer),
              "invalid-argument: subject: the name of a user, or * for everybody");
  EXPECT_EQ(Grant(std::string(128, 'a'), Role::kViewer), "");
}

TEST_F(DecideAccess, RolesAreOfQueuesThatExist) {
  EXPECT_EQ(Grant("ana", Role::kUser, "team"), "not-found: no queue team");
  Do(SetQueue{.name = "team"});
  EXPECT_EQ(Grant("ana", Role::kUser, "team"), "");
}

TEST_F(DecideAccess, WhatIsGrantedAlreadyIsNoEvent) {
  EXPECT_EQ(Do(GrantRole{"ana", "", Role::kViewer}).size(), 1U);
  EXPECT_TRUE(Do(GrantRole{"ana", "", Role::kViewer}).empty());
  EXPECT_EQ(Do(GrantRole{"ana", "", Role::kAdmin}).size(), 1U);
  EXPECT_EQ(Do(GrantRole{"ana", "", std::nullopt}).size(), 1U);
  EXPECT_TRUE(Do(GrantRole{"ana", "", std::nullopt}).empty());
}

TEST_F(DecideAccess, AQueueHasAtMostAThousandRoles) {
  Do(SetQueue{.name = "team"});
  for (size_t i = 0; i < kRolesPerQueueMax; ++i)
    ASSERT_EQ(Grant("u" + std::to_string(i), Role::kViewer, "team"), "");
  EXPECT_EQ(Grant("one-more", Role::kViewer, "team"),
            "conflict: there are 1000 roles in this queue: take one away first");
  EXPECT_EQ(Grant("u0", Role::kAdmin, "team"), "") << "one that is there may change";
  EXPECT_EQ(Grant("one-more", Role::kViewer), "") << "everywhere is another place";
  EXPECT_EQ(Grant("u0", std::nullopt, "team"), "");
  EXPECT_EQ(Grant("one-more", Role::kViewer, "team"), "");
}

TEST_F(DecideAccess, AUserHasAtMostAHundredTokens) {
  for (uint64_t i = 0; i < kTokensPerUserMax; ++i) ASSERT_EQ(Issue(TokenOf(1, i)), "");
  EXPECT_EQ(Issue(TokenOf(1, 200)), "conflict: u1 has 100 tokens: revoke one first");
  EXPECT_EQ(Issue(TokenOf(2, 200)), "") << "of somebody else";
  Do(RevokeToken{{1}});
  EXPECT_EQ(Issue(TokenOf(1, 201)), "");
}

TEST_F(DecideAccess, TokensGetTheirIdTimeAndIssuerHere) {
  Do(StepWallClock{Duration::Minutes(60)});
  AccessToken token = TokenOf(1, 1);
  token.id = {77};
  token.issued_at = Instant{1};
  token.issued_by = "user:mallory";
  token.expires_at = token.expires_at + Duration::Minutes(60);
  EXPECT_EQ(Issue(token), "");
  const AccessToken& issued = cluster_.state().access.tokens.at({1});
  EXPECT_EQ(issued.id, TokenId{1});
  EXPECT_EQ(issued.issued_at, cluster_.now() + Duration::Minutes(60)) << "by the wall clock";
  EXPECT_EQ(issued.issued_by, "test");
}

// The end of a token is a time of the calendar.
TEST_F(DecideAccess, TokensEndByTheWallClock) {
  EXPECT_EQ(Issue(TokenOf(1, 1)), "");
  Do(StepWallClock{Duration::Minutes(59)});
  EXPECT_TRUE(Do(Tick{}).empty());
  Do(StepWallClock{Duration::Minutes(60)});
  EXPECT_EQ(NextDeadline(cluster_.state()), cluster_.now());
  EXPECT_EQ(Do(Tick{}).size(), 1U);
  EXPECT_TRUE(cluster_.state().access.tokens.empty());
}

TEST_F(DecideAccess, TwoTokensNeverShareASecret) {
  EXPECT_EQ(Issue(TokenOf(1, 1)), "");
  EXPECT_EQ(Issue(TokenOf(2, 1)), "conflict: this secret is in use");
  Do(RevokeToken{{1}});
  EXPECT_EQ(Issue(TokenOf(2, 1)), "");
  EXPECT_EQ(Refusal(RevokeToken{{1}}), "not-found: no token token-1");
}

TEST_F(DecideAccess, ANodeKeepsItsLastTwoCertificates) {
  const auto known = [&](char fingerprint) {
    return IsCertified(cluster_.state().access, "n1", std::string(kFingerprintLength, fingerprint),
                       cluster_.now());
  };
  EXPECT_EQ(Certify("n1", 'a'), "");
  EXPECT_EQ(Certify("n1", 'b', std::string(kFingerprintLength, 'a')), "");
  EXPECT_TRUE(known('a'));
  EXPECT_TRUE(known('b'));
  EXPECT_EQ(Certify("n1", 'c', std::string(kFingerprintLength, 'b')), "");
  EXPECT_FALSE(known('a'));
  EXPECT_TRUE(known('b'));
  EXPECT_TRUE(known('c'));
  EXPECT_FALSE(IsCertified(cluster_.state().access, "n2", std::string(kFingerprintLength, 'c'),
                           cluster_.now()));
  cluster_.Advance(Duration::Minutes(60));
  EXPECT_FALSE(known('c')) << "at its end it is over";
}

TEST_F(DecideAccess, ANodeThatIsHereIsNotTakenOver) {
  const NodeId node = AddNode("n1");
  EXPECT_EQ(Certify("n1", 'a'),
            "conflict: node n1 is here, and has no certificate: stop its agent first");
  Do(ExpireHeartbeat{node});
  EXPECT_EQ(Certify("n1", 'a'), "");
  EXPECT_EQ(Certify("n1", 'b'),
            "conflict: node n1 has a certificate, but this agent does not present it. If it was "
            "lost: gpu-platform nodes revoke n1");
  Do(RevokeNode{"n1"});
  EXPECT_EQ(Certify("n1", 'b'), "");
  EXPECT_EQ(Refusal(RevokeNode{"n2"}), "not-found: node n2 has no certificate");
}

TEST_F(DecideAccess, AJoinTokenCertifiesItsNodeOnce) {
  Do(JoinTokenOf("n1", 'a'));
  const auto is_over = [](const std::string& name) {
    return "unauthenticated: this join token of node " + name +
           " was used, replaced or has expired";
  };
  EXPECT_EQ(CertifyBy("n2", 'a'), is_over("n2"));
  EXPECT_EQ(CertifyBy("n1", 'b'), is_over("n1"));
  EXPECT_EQ(CertifyBy("n1", 'a'), "");
  EXPECT_TRUE(cluster_.state().access.join_tokens.empty());
  EXPECT_EQ(CertifyBy("n1", 'a'), is_over("n1"));
}

// What was refused has used nothing up.
TEST_F(DecideAccess, AJoinTokenTakesNoNameFromANode) {
  Do(JoinTokenOf("n1", 'a'));
  EXPECT_EQ(Certify("n1", 'c'), "");
  EXPECT_EQ(CertifyBy("n1", 'a'),
            "conflict: node n1 has a certificate, but this agent does not present it. If it was "
            "lost: gpu-platform nodes revoke n1");
  EXPECT_TRUE(cluster_.state().access.join_tokens.contains("n1"));
  Do(RevokeNode{"n1"});
  EXPECT_FALSE(cluster_.state().access.join_tokens.contains("n1")) << "it keeps the node out";
}

TEST_F(DecideAccess, JoinTokensEnd) {
  Do(JoinTokenOf("n1", 'a', Duration::Minutes(1)));
  Do(JoinTokenOf("n2", 'b', Duration::Minutes(2)));
  cluster_.Advance(Duration::Minutes(1));
  EXPECT_EQ(CertifyBy("n1", 'a'),
            "unauthenticated: this join token of node n1 was used, replaced or has expired");
  EXPECT_EQ(Do(JoinTokenOf("n3", 'c')).size(), 2U) << "the one that has expired is forgotten";
  EXPECT_EQ(cluster_.state().access.join_tokens.size(), 2U);
  EXPECT_EQ(cluster_.state().access.join_tokens.at("n3").issued_by, "test");
  for (const Duration life : {Duration{}, Duration::Minutes(60 * 24 * 7 + 1)})
    EXPECT_EQ(Refusal(JoinTokenOf("n1", 'a', life)),
              "invalid-argument: life: more than 0, at most 7d");
  EXPECT_EQ(Refusal(JoinTokenOf("n1", 'x')), "invalid-argument: hash: 64 hexadecimal digits");
}

TEST_F(DecideAccess, CertificatesNameAHost) {
  const std::string bad =
      "invalid-argument: node: a name in a certificate has 1 to 253 letters, digits, dots, dashes "
      "and underscores";
  for (const std::string& name : {std::string(), std::string("a b"), std::string("a/b"),
                                  std::string("é"), std::string(254, 'a')})
    EXPECT_EQ(Certify(name, 'a'), bad) << name;
  EXPECT_EQ(Certify("n1.example_org-2", 'a'), "");
  EXPECT_EQ(Certify("n2", 'g'), "invalid-argument: fingerprint: 64 hexadecimal digits");
}

TEST_F(DecideAccess, ARefusalIsOnlyNoted) {
  const std::vector<Event> events = Do(NoteRefusal{"StopJob", "not your job", 3});
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<AccessRefused>(events[0]).times, 3);
}

}  // namespace
}  // namespace gp
