#include "domain/model/access.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

Access Granted(std::map<RoleKey, Role> roles) {
  Access access;
  access.roles = std::move(roles);
  return access;
}

TEST(RoleOf, IsAUserWhereNobodySaidAnything) {
  EXPECT_EQ(RoleOf({}, "ana", ""), Role::kUser);
  EXPECT_EQ(RoleOf({}, "ana", "team/vision"), Role::kUser);
}

TEST(RoleOf, ComesFromTheNearestQueueAtOrAbove) {
  const Access access = Granted({{{"ana", ""}, Role::kViewer},
                                 {{"ana", "team"}, Role::kOperator},
                                 {{"ana", "team/vision"}, Role::kNone}});
  EXPECT_EQ(RoleOf(access, "ana", ""), Role::kViewer);
  EXPECT_EQ(RoleOf(access, "ana", "other"), Role::kViewer);
  EXPECT_EQ(RoleOf(access, "ana", "team"), Role::kOperator);
  EXPECT_EQ(RoleOf(access, "ana", "team/text/a"), Role::kOperator);
  EXPECT_EQ(RoleOf(access, "ana", "team/vision/x"), Role::kNone);
  // A name that begins alike is not below it
  EXPECT_EQ(RoleOf(access, "ana", "teams"), Role::kViewer);
}

// Who governs a team must not shut out who governs all.
TEST(RoleOf, OfAnAdminIsNotLessBelow) {
  const Access access = Granted({{{"ana", ""}, Role::kAdmin},
                                 {{"ana", "team"}, Role::kNone},
                                 {{"ben", "team"}, Role::kAdmin},
                                 {{"ben", "team/x"}, Role::kViewer}});
  EXPECT_EQ(RoleOf(access, "ana", "team/x"), Role::kAdmin);
  EXPECT_EQ(RoleOf(access, "ben", "team/x/y"), Role::kAdmin);
  EXPECT_EQ(RoleOf(access, "ben", ""), Role::kUser);
}

TEST(RoleOf, OnesOwnCountsBeforeEverybodys) {
  const Access access = Granted(
      {{{"*", ""}, Role::kNone}, {{"*", "team"}, Role::kUser}, {{"ana", ""}, Role::kViewer}});
  EXPECT_EQ(RoleOf(access, "ana", "team"), Role::kViewer);
  EXPECT_EQ(RoleOf(access, "ben", "team"), Role::kUser);
  EXPECT_EQ(RoleOf(access, "ben", ""), Role::kNone);
}

TEST(Roles, HaveNames) {
  for (const Role role : {Role::kNone, Role::kViewer, Role::kUser, Role::kOperator, Role::kAdmin})
    EXPECT_EQ(ParseRole(Name(role)), role);
  EXPECT_EQ(ParseRole("root"), std::nullopt);
}

TEST(Tokens, AreRefusedWhereTheyCouldNotBeUsedOrWouldLastForEver) {
  const Instant now{1'000'000'000};
  AccessToken good;
  good.label = "laptop";
  good.hash = std::string(64, 'a');
  good.expires_at = now + Duration::Seconds(1);
  EXPECT_TRUE(ValidateToken(good, now));
  const auto refused = [&](auto edit) {
    AccessToken token = good;
    edit(token);
    return !ValidateToken(token, now).has_value();
  };
  EXPECT_TRUE(refused([](AccessToken& token) { token.label.clear(); }));
  EXPECT_TRUE(refused([](AccessToken& token) { token.label = std::string(129, 'x'); }));
  EXPECT_TRUE(refused([](AccessToken& token) { token.hash.pop_back(); }));
  EXPECT_TRUE(refused([](AccessToken& token) { token.hash.back() = 'G'; }));
  EXPECT_TRUE(refused([](AccessToken& token) { token.most = Role::kNone; }));
  EXPECT_TRUE(refused([&](AccessToken& token) { token.expires_at = now; }));
  EXPECT_TRUE(refused([&](AccessToken& token) {
    token.expires_at = now + kTokenLifeMax + Duration::Nanoseconds(1);
  }));
}

}  // namespace
}  // namespace gp
