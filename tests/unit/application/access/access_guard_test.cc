#include "application/access/access_guard.h"

#include <gtest/gtest.h>

#include "lib/secrets/secrets.h"
#include "tests/support/hand_controller.h"

namespace gp {
namespace {

struct Trail : AuditTrail {
  void Write(AuditEntry entry) override { entries.push_back(std::move(entry)); }
  uint64_t LastNumber() const override { return entries.empty() ? 0 : entries.back().number; }
  uint64_t WrittenUntil() const override { return UINT64_MAX; }
  Result<std::vector<WrittenAuditEntry>> Read(const AuditQuery&) override {
    return Fail(Unsupported("not here"));
  }
  std::vector<AuditEntry> entries;
};

const User kAna{"ana", 54'321, 54'321};
constexpr Operation kOperations[] = {{"GetJob", Role::kNone, Reach::kSomewhere},
                                     {"StopJob", Role::kUser, Reach::kSomewhere},
                                     {"SetQueue", Role::kOperator, Reach::kEverywhere}};

struct Rig : HandController {
  Trail trail;
  std::unique_ptr<AccessGuard> guard;

  Rig() {
    Open(&trail);
    guard = std::make_unique<AccessGuard>(*loop, kOperations);
    loop->AddObserver(guard.get());
  }
  TokenId Issue(const std::string& secret, Role most = Role::kUser, const std::string& queue = "") {
    AccessToken token;
    token.label = "test";
    token.user = kAna;
    token.most = most;
    token.queue = queue;
    token.hash = Sha256(secret);
    token.expires_at = clock.Now() + Duration::Minutes(5);
    const Outcome outcome = loop->Execute("user:ana", "", IssueToken{token});
    EXPECT_TRUE(outcome.status) << outcome.status.error().message;
    return std::get<TokenIssued>(outcome.events.front()).token.id;
  }
};

TEST(AccessGuard, KnowsTokensByTheirSecrets) {
  Rig rig;
  EXPECT_EQ(rig.guard->BySecret("secret", "x").error().code, ErrorCode::kUnauthenticated);
  const TokenId id = rig.Issue("secret", Role::kViewer, "default");
  rig.Turn();
  const auto caller = rig.guard->BySecret("secret", "127.0.0.1:9");
  ASSERT_TRUE(caller);
  EXPECT_EQ(caller->user.name, "ana");
  EXPECT_EQ(caller->token, id);
  EXPECT_EQ(caller->In("default"), Role::kViewer);
  EXPECT_EQ(caller->In(""), Role::kNone);
  EXPECT_EQ(caller->from, "127.0.0.1:9");
  for (const char* wrong : {"", "secre", "Secret", "secret "})
    EXPECT_FALSE(rig.guard->BySecret(wrong, "x")) << wrong;
  EXPECT_FALSE(rig.guard->BySecret(Sha256("secret"), "x"));  // who reads the journal has no secret
}

// So one that serves many connections on its thread does not wait.
TEST(AccessGuard, DoesNotWaitForTheWriter) {
  Rig rig;
  rig.Issue("secret");
  rig.Turn();
  rig.loop->Stop();
  EXPECT_TRUE(rig.guard->BySecret("secret", "x"));
  EXPECT_TRUE(AccessGuard(*rig.loop, kOperations).ByKernel(kAna, "x").error().code ==
              ErrorCode::kUnavailable);
}

TEST(AccessGuard, AuditsRefusalsAlone) {
  Rig rig;
  rig.guard->NoteRefusal("unknown", "JoinNode", Unavailable("the controller is busy"));
  rig.guard->NoteRefusal("unknown", "JoinNode", Unauthenticated("wrong join token"));
  rig.Turn();
  ASSERT_EQ(rig.trail.entries.size(), 1U);
  EXPECT_NE(rig.trail.entries.front().why.find("wrong join token"), std::string::npos);
}

TEST(AccessGuard, RefusesWhatWasRevokedOrIsOver) {
  Rig rig;
  const TokenId first = rig.Issue("first");
  rig.Issue("second");
  ASSERT_TRUE(rig.loop->Execute("user:ana", "", RevokeToken{first}).status);
  rig.Turn();
  EXPECT_FALSE(rig.guard->BySecret("first", "x"));
  EXPECT_TRUE(rig.guard->BySecret("second", "x"));
  rig.clock.Advance(Duration::Minutes(5));  // nobody has ended it yet
  EXPECT_NE(rig.guard->BySecret("second", "x").error().message.find("ended at"), std::string::npos);
}

TEST(AccessGuard, FollowsWhatIsGranted) {
  Rig rig;
  EXPECT_EQ(rig.guard->ByKernel(kAna, "unix")->In(""), Role::kUser);
  ASSERT_TRUE(rig.loop->Execute("user:root", "", GrantRole{"ana", "", Role::kOperator}).status);
  rig.Turn();
  EXPECT_EQ(rig.guard->ByKernel(kAna, "unix")->In(""), Role::kOperator);
  ASSERT_TRUE(rig.loop->Execute("user:root", "", GrantRole{"*", "", Role::kNone}).status);
  ASSERT_TRUE(rig.loop->Execute("user:root", "", GrantRole{"ana", "", std::nullopt}).status);
  ASSERT_TRUE(rig.loop->Execute("user:root", "", GrantRole{"root", "", Role::kNone}).status);
  rig.Turn();
  EXPECT_EQ(rig.guard->ByKernel(kAna, "unix")->In(""), Role::kNone);
  // Nobody can shut root out
  EXPECT_EQ(rig.guard->ByKernel({"root", 0, 0}, "unix")->In(""), Role::kAdmin);
}

TEST(AccessGuard, WritesDownWhatItRefuses) {
  Rig rig;
  const auto ana = rig.guard->ByKernel(kAna, "unix");
  bool was_asked = false;
  const auto ask = [&](const Caller&) -> Status {
    was_asked = true;
    return Ok();
  };
  EXPECT_EQ(rig.guard->Answer(ana, "unix", "SetQueue", ask).error().code,
            ErrorCode::kPermissionDenied);
  EXPECT_EQ(rig.guard->Answer(Fail(Unauthenticated("who are you")), "10.0.0.1:7", "GetJob", ask)
                .error()
                .code,
            ErrorCode::kUnauthenticated);
  EXPECT_FALSE(was_asked);
  EXPECT_EQ(
      rig.guard
          ->Answer(ana, "unix", "StopJob",
                   [](const Caller&) { return Fail(PermissionDenied("job-1 belongs to ben")); })
          .error()
          .code,
      ErrorCode::kPermissionDenied);
  EXPECT_TRUE(rig.guard->Answer(ana, "unix", "GetJob", ask));
  EXPECT_TRUE(was_asked);
  rig.Turn();
  ASSERT_EQ(rig.trail.entries.size(), 3u);
  EXPECT_EQ(rig.trail.entries[0].operation, "SetQueue");
  EXPECT_EQ(rig.trail.entries[0].user, "ana");
  EXPECT_TRUE(rig.trail.entries[0].refused);
  EXPECT_EQ(rig.trail.entries[1].user, "");
  EXPECT_EQ(rig.trail.entries[1].from, "10.0.0.1:7");
  EXPECT_EQ(rig.trail.entries[2].why, "job-1 belongs to ben");
}

// An attack does not fill the disk, and is still reported in full.
TEST(AccessGuard, CountsWhatIsRefusedAgainAndAgain) {
  Rig rig;
  const auto nobody = [&](int port) {
    (void)rig.guard->Answer(Fail(Unauthenticated("no")), "10.0.0.1:" + std::to_string(port),
                            "GetJob", {});
  };
  for (int i = 0; i < 1'000; ++i) nobody(i);
  rig.Turn();
  ASSERT_EQ(rig.trail.entries.size(), 1u);
  rig.clock.Advance(Duration::Seconds(11));
  nobody(0);
  rig.Turn();
  ASSERT_EQ(rig.trail.entries.size(), 2u);
  EXPECT_EQ(rig.trail.entries[1].times, 999);
  for (int host = 0; host < 5'000; ++host)
    (void)rig.guard->Answer(Fail(Unauthenticated("no")), "10.1." + std::to_string(host) + ":1",
                            "GetJob", {});
  rig.Turn();
  EXPECT_LT(rig.trail.entries.size(), 1'100u);
}

}  // namespace
}  // namespace gp
