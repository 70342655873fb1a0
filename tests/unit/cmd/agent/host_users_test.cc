// Against the account database of this host.

#include "cmd/agent/host_users.h"

#include <grp.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "adapters/outbound/memory/manual_clock.h"

namespace gp {
namespace {

constexpr uint32_t kUnknownUid = 3'999'999'999;

TEST(HostUsers, RootsJobsRunAsTheServiceUser) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root's agent runs jobs as others";
  const HostUser user = ResolveUser({.name = "root", .uid = 0, .gid = 0}, "daemon", false);
  const passwd* daemon = getpwnam("daemon");
  ASSERT_NE(daemon, nullptr);
  EXPECT_EQ(user.name, "daemon");
  EXPECT_EQ(user.uid, daemon->pw_uid);
  EXPECT_EQ(user.gid, daemon->pw_gid);
  EXPECT_EQ(user.home, daemon->pw_dir);
}

TEST(HostUsers, WithoutAServiceUserTheyRunAsNobody) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root's agent runs jobs as others";
  for (const char* service_user : {"no-such-user-here", ""}) {
    const HostUser user = ResolveUser({.name = "root", .uid = 0, .gid = 0}, service_user, false);
    EXPECT_EQ(user.name, "nobody");
    EXPECT_EQ(user.uid, 65'534u);
    EXPECT_EQ(user.gid, 65'534u);
    EXPECT_EQ(user.groups, std::vector<uint32_t>{65'534});
  }
}

TEST(HostUsers, RootStaysRootOnlyWhereThatIsAllowed) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root's agent runs jobs as others";
  EXPECT_EQ(ResolveUser({.name = "root", .uid = 0, .gid = 0}, "daemon", true).uid, 0u);
  EXPECT_NE(ResolveUser({.name = "ana", .uid = 0, .gid = 7}, "daemon", false).uid, 0u)
      << "by uid, whatever the name";
}

TEST(HostUsers, AnAccountOfThisHostHasItsGroupsAndHome) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root's agent runs jobs as others";
  const passwd* entry = getpwnam("daemon");
  ASSERT_NE(entry, nullptr);
  // The name and the group that the controller knows do not count here.
  const HostUser user =
      ResolveUser({.name = "another", .uid = entry->pw_uid, .gid = 4'321}, "nobody", false);
  EXPECT_EQ(user.name, "daemon");
  EXPECT_EQ(user.gid, entry->pw_gid);
  EXPECT_NE(std::ranges::find(user.groups, entry->pw_gid), user.groups.end());
  EXPECT_EQ(user.shell, entry->pw_shell);
}

TEST(HostUsers, AUserThatThisHostDoesNotKnowHasItsNumbersAndNoGroups) {
  if (geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root's agent runs jobs as others";
  const HostUser user =
      ResolveUser({.name = "ana", .uid = kUnknownUid, .gid = 1'234}, "daemon", false);
  EXPECT_EQ(user.name, "uid-3999999999");
  EXPECT_EQ(user.uid, kUnknownUid);
  EXPECT_EQ(user.gid, 1'234u);
  EXPECT_TRUE(user.groups.empty());
  EXPECT_EQ(user.home, "/");
}

// In a process without root's rights.
TEST(HostUsers, AnAgentThatIsNotRootRunsAllJobsAsItself) {
  const pid_t child = fork();
  if (child == 0) {
    if (geteuid() == 0 && (setgid(4'321) != 0 || setuid(kUnknownUid) != 0)) _exit(2);
    for (const uint32_t uid : {0u, 1u, kUnknownUid}) {
      const HostUser user = ResolveUser({.name = "ana", .uid = uid, .gid = 0}, "daemon", false);
      if (user.uid != geteuid() || user.gid != getegid()) _exit(1);
    }
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(HostUsers, AnAccountIsLookedUpAgainAfterTwoSeconds) {
  ManualClock clock;
  int lookups = 0;
  HostUsers users(
      [&](const User& user) {
        return HostUser{std::to_string(++lookups), user.uid, user.gid, {}, "", ""};
      },
      clock);
  const User one{.name = "one", .uid = 1'001, .gid = 1};
  const User of_other_group{.name = "one", .uid = 1'001, .gid = 2};
  const User other{.name = "other", .uid = 1'002, .gid = 1};
  EXPECT_EQ(users.Resolve(one).name, "1");
  EXPECT_EQ(users.Resolve(other).uid, 1'002u);
  EXPECT_EQ(users.Resolve(of_other_group).gid, 2u);
  clock.Advance(HostUsers::kMemory - Duration{1});
  EXPECT_EQ(users.Resolve(one).name, "1");
  clock.Advance(Duration{1});
  EXPECT_EQ(users.Resolve(one).name, "4");
  EXPECT_EQ(users.Resolve(one).name, "4");
}

}  // namespace
}  // namespace gp
