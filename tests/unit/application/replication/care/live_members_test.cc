#include "application/replication/care/live_members.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

constexpr int64_t kSecond = Duration::Seconds(1).ns;

SeenMember Seen(const std::string& name, uint64_t applied, uint64_t revision) {
  SeenMember seen;
  seen.member.name = name;
  seen.member.applied = applied;
  seen.revision = revision;
  return seen;
}

TEST(LiveMembers, HaveInCommonWhatTheLastOneHas) {
  LiveMembers members(Duration::Seconds(60));
  members.See({Seen("a", 70, 1), Seen("b", 50, 2), Seen("c", 60, 3)}, 0);
  EXPECT_EQ(members.Held(0), 50u);
}

TEST(LiveMembers, LiveWhileTheirEntriesChange) {
  LiveMembers members(Duration::Seconds(60));
  members.See({Seen("a", 70, 1), Seen("b", 50, 2)}, 0);
  members.See({Seen("a", 70, 3), Seen("b", 50, 2)}, 40 * kSecond);
  EXPECT_EQ(members.Held(59 * kSecond), 50u);
  EXPECT_EQ(members.Held(60 * kSecond), 70u);
  // It is back, with what it had.
  members.See({Seen("a", 70, 4), Seen("b", 50, 5)}, 70 * kSecond);
  EXPECT_EQ(members.Held(70 * kSecond), 50u);
}

// A value may be the same.
TEST(LiveMembers, APublicationIsAChange) {
  LiveMembers members(Duration::Seconds(60));
  for (int64_t at = 0; at < 10; ++at)
    members.See({Seen("a", 50, static_cast<uint64_t>(at + 1))}, at * 30 * kSecond);
  EXPECT_EQ(members.Held(300 * kSecond), 50u);
}

TEST(LiveMembers, AreAllThatAreSeenForTheFirstTime) {
  LiveMembers members(Duration::Seconds(60));
  members.See({Seen("died long ago", 7, 1)}, 500 * kSecond);
  EXPECT_EQ(members.Held(559 * kSecond), 7u);
}

TEST(LiveMembers, WhereNobodyLivesNothingIsKnownToBeHeld) {
  LiveMembers members(Duration::Seconds(60));
  EXPECT_EQ(members.Held(0), 0u);
  members.See({Seen("a", 50, 1)}, 0);
  EXPECT_EQ(members.Held(60 * kSecond), 0u);
  members.See({}, 0);
  EXPECT_EQ(members.Held(0), 0u);
}

}  // namespace
}  // namespace gp
