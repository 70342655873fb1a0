#include "application/replication/members/controllers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/outbound/memory/memory_quorum_store.h"
#include "application/replication/lead/leader_entry.h"
#include "application/replication/lead/leader_key.h"

namespace gp {
namespace {

using testing::HasSubstr;

struct ControllersTest : testing::Test {
  void Tell(const std::string& name, uint64_t applied, Instant at) {
    Member member{.name = name, .version = "1.2.3", .addresses = {name + ":7070", ""}};
    member.applied = applied;
    member.told_at = at;
    ASSERT_TRUE(board.Publish(member));
  }
  // The log ends with record 50, at the leader's time 100 s.
  void SetUp() override {
    ASSERT_TRUE(log.Create(50, 7));
    LogHead head = **log.Head();
    LogWriter writer(log, Term(), head, [](int) { return false; });
    ASSERT_EQ(writer.NoteTime(At(100), {}).end, AppendEnd::kDurable);
  }
  uint64_t Term() {
    EXPECT_TRUE(*key.TryTake());
    return key.term();
  }
  static Instant At(int64_t seconds) { return Instant{Duration::Seconds(seconds).ns}; }

  MemoryQuorumStore store;
  const StoreKeys keys{"test"};
  SharedLog log{store, keys};
  LeaderKey key{store, keys, "me", Duration::Seconds(2)};
  MemberBoard board{store, keys};
  Controllers controllers{store, keys, "c1"};
};

TEST_F(ControllersTest, TellsWhoLeadsAndHowFarTheOthersAre) {
  Tell("c1", 3, At(1));
  Tell("c2", 48, At(96));
  Tell("c3", 50, At(70));
  EXPECT_FALSE(controllers.LastSeen());
  const auto seen = controllers.Look();
  ASSERT_TRUE(seen);
  const std::vector<ControllerStatus>& all = seen->all;
  ASSERT_EQ(all.size(), 3U);
  const ControllerStatus& leader = all.at(0);
  EXPECT_TRUE(leader.leads);
  EXPECT_EQ(leader.member.applied, 50U) << "a leader has all records";
  EXPECT_EQ(leader.silent_for, Duration{});
  EXPECT_TRUE(leader.Lives());
  const ControllerStatus& standby = all.at(1);
  EXPECT_FALSE(standby.leads);
  EXPECT_EQ(standby.behind, 2U);
  EXPECT_EQ(standby.silent_for, Duration::Seconds(4));
  EXPECT_EQ(standby.member.addresses.grpc, "c2:7070");
  EXPECT_EQ(standby.member.version, "1.2.3");
  EXPECT_TRUE(standby.Lives());
  EXPECT_FALSE(all.at(2).Lives());
  EXPECT_EQ(seen->term, key.term());
  EXPECT_EQ(controllers.LastSeen()->all.size(), 3U);
}

TEST_F(ControllersTest, AStandbyMustLiveForAStepDown) {
  Tell("c1", 50, At(100));
  Tell("c3", 50, At(70));
  const Status none = controllers.CheckStandby();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::kConflict);
  EXPECT_THAT(none.error().message, HasSubstr("in the last 10 s"));
  Tell("c3", 50, At(99));
  EXPECT_TRUE(controllers.CheckStandby());
}

TEST_F(ControllersTest, ForgetsOneThatIsGone) {
  Tell("c1", 50, At(100));
  Tell("c2", 50, At(99));
  Tell("c3", 50, At(70));
  EXPECT_THAT(controllers.Remove("c1").error().message, HasSubstr("leads"));
  EXPECT_THAT(controllers.Remove("c2").error().message, HasSubstr("lives"));
  EXPECT_EQ(controllers.Remove("c4").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(controllers.Remove("c3"));
  EXPECT_EQ(controllers.Look()->all.size(), 2U);
}

TEST_F(ControllersTest, ListsMoreThanOneReadGives) {
  for (int i = 0; i < 250; ++i) Tell("n" + std::to_string(1'000 + i), 50, At(99));
  const auto seen = controllers.Look();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->all.size(), 250U);
  EXPECT_EQ(seen->all.back().member.name, "n1249");
}

TEST(LeaderEntry, IsReadAsItWasWritten) {
  const LeaderEntry entry{"c1", "secret", {"c1:7070", "c1:8080"}, true};
  EXPECT_EQ(DecodeLeaderEntry(Encode(entry)), Result<LeaderEntry>(entry));
  for (const std::string& damaged : {std::string(), std::string("first"), Encode(entry) + "x"})
    EXPECT_FALSE(DecodeLeaderEntry(damaged)) << damaged;
}

}  // namespace
}  // namespace gp
