#include "application/access/may_grant.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

const User kUserAna{"ana", 54'321, 54'321};
const User kUserBen{"ben", 54'322, 54'322};
const User kUserRoot{"root", 0, 0};

// With `role` everywhere.
Caller CallerWith(const User& user, Role role) {
  Access access;
  access.roles[{user.name, ""}] = role;
  Caller caller;
  caller.user = user;
  caller.access = std::make_shared<const Access>(std::move(access));
  return caller;
}

Caller ByToken(Caller caller, Role most) {
  caller.token = {7};
  caller.most = most;
  return caller;
}

AccessToken TokenFor(const User& user, Role most) {
  AccessToken token;
  token.id = {7};
  token.user = user;
  token.most = most;
  return token;
}

std::string Refusal(const Status& status) { return status ? "" : status.error().message; }

TEST(MayGrant, UsersIssueTokensForThemselvesUpToTheirRole) {
  const Caller ana = CallerWith(kUserAna, Role::kUser);
  EXPECT_EQ(Refusal(CheckMayIssue(ana, TokenFor(kUserAna, Role::kUser))), "");
  EXPECT_EQ(Refusal(CheckMayIssue(ana, TokenFor(kUserAna, Role::kAdmin))),
            "role: ana lacks the role admin itself");
  EXPECT_EQ(Refusal(CheckMayIssue(ana, TokenFor(kUserBen, Role::kUser))),
            "user: only an admin issues tokens for others");
}

TEST(MayGrant, AdminsIssueTokensForOthersButNotForRoot) {
  Caller admin = CallerWith(kUserAna, Role::kAdmin);
  EXPECT_EQ(Refusal(CheckMayIssue(admin, TokenFor(kUserBen, Role::kAdmin))), "");
  EXPECT_NE(Refusal(CheckMayIssue(admin, TokenFor(kUserRoot, Role::kViewer))), "");
  admin.is_superuser = true;
  EXPECT_EQ(Refusal(CheckMayIssue(admin, TokenFor(kUserRoot, Role::kViewer))), "");
}

TEST(MayGrant, ATokenBelowAdminGivesNothing) {
  const Caller admin = CallerWith(kUserAna, Role::kAdmin);
  EXPECT_EQ(Refusal(CheckMayIssue(ByToken(admin, Role::kUser), TokenFor(kUserAna, Role::kUser))),
            "a token issues no tokens: ask the controller's socket, or as an admin");
  EXPECT_EQ(Refusal(CheckMayIssue(ByToken(admin, Role::kAdmin), TokenFor(kUserAna, Role::kUser))),
            "");
  EXPECT_EQ(Refusal(CheckMayGrant(admin, "")), "");
  EXPECT_NE(Refusal(CheckMayGrant(ByToken(admin, Role::kUser), "")), "");
}

TEST(MayGrant, AnAdminOfAQueueGrantsRolesThere) {
  Access access;
  access.roles[{kUserAna.name, "vision"}] = Role::kAdmin;
  Caller ana;
  ana.user = kUserAna;
  ana.access = std::make_shared<const Access>(std::move(access));
  EXPECT_EQ(Refusal(CheckMayGrant(ana, "vision")), "");
  EXPECT_EQ(Refusal(CheckMayGrant(ana, "vision/team")), "");
  EXPECT_EQ(Refusal(CheckMayGrant(ana, "speech")), "queue: ana lacks the role admin in speech");
  EXPECT_EQ(Refusal(CheckMayGrant(ana, "")), "queue: ana lacks the role admin everywhere");
  ana.scope = "speech";  // by a token of another queue
  EXPECT_NE(Refusal(CheckMayGrant(ana, "vision")), "");
}

TEST(MayGrant, WhoRevokesAToken) {
  const AccessToken of_ana = TokenFor(kUserAna, Role::kUser);
  EXPECT_TRUE(MayRevoke(CallerWith(kUserAna, Role::kUser), of_ana));
  EXPECT_TRUE(MayRevoke(CallerWith(kUserBen, Role::kAdmin), of_ana));
  EXPECT_FALSE(MayRevoke(CallerWith(kUserBen, Role::kOperator), of_ana));
  EXPECT_TRUE(MayRevoke(ByToken(CallerWith(kUserAna, Role::kUser), Role::kUser), of_ana));
  AccessToken another = of_ana;
  another.id = {8};
  EXPECT_FALSE(MayRevoke(ByToken(CallerWith(kUserAna, Role::kUser), Role::kUser), another));
}

}  // namespace
}  // namespace gp
