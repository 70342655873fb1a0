#include "application/replication/members/controllers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/outbound/memory/memory_quorum_store.h"
#include "application/replication/lead/leader_entry.h"
#include "application/replication/lead/leader_key.h"
#include "base/bytes.h"
#include "tests/unit/application/replication/fixed_health.h"

namespace gp {
namespace {

using testing::HasSubstr;

struct ControllersTest : testing::Test {
  void Tell(const std::string& name, uint64_t applied, Instant at, uint64_t newest = 21,
            const std::string& unfit = "") {
    Member member{.name = name, .version = "1.2.3", .addresses = {name + ":7070", ""}};
    member.applied = applied;
    member.told_at = at;
    member.formats.newest = newest;
    member.unfit = unfit;
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
  FixedHealth health;
  Controllers controllers{store, health, keys, "c1"};
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

TEST_F(ControllersTest, TheStoreIsAskedOnlyByWhoLooks) {
  health.members = {{.endpoint = "e1", .version = "3.4", .leads = true},
                    {.endpoint = "e2", .trouble = "no answer in time"}};
  EXPECT_TRUE(controllers.StoreSeen().empty());
  controllers.LookAtStore();
  health.members.clear();
  const std::vector<StoreMember> seen = controllers.StoreSeen();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_TRUE(seen[0].leads);
  EXPECT_EQ(seen[1].trouble, "no answer in time");
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

TEST_F(ControllersTest, AnUnfitOneCannotTakeOver) {
  Tell("c1", 50, At(100));
  Tell("c2", 40, At(100), 20, "its own reason");
  EXPECT_FALSE(controllers.CheckStandby());
  const auto seen = controllers.Look();
  ASSERT_TRUE(seen);
  EXPECT_TRUE(seen->all.at(1).Lives());
  EXPECT_FALSE(seen->all.at(1).IsStandby());
  EXPECT_FALSE(seen->all.at(0).IsStandby());
  EXPECT_EQ(seen->all.at(1).member.unfit, "its own reason");
}

TEST_F(ControllersTest, EveryOneCountsForTheFormatUnlessItIsGone) {
  EXPECT_EQ(FormatOfAll(*controllers.Look(), false), 0U) << "nothing is known";
  Tell("c1", 50, At(100), 23);
  Tell("c2", 50, At(99), 22);
  Tell("c3", 50, At(70), 21);
  const ControllersSeen seen = *controllers.Look();
  std::vector<std::string> unless;
  EXPECT_EQ(FormatOfAll(seen, /*without_silent=*/false, &unless), 21U) << "it may come back";
  EXPECT_EQ(unless, std::vector<std::string>{"c3"});
  unless.clear();
  EXPECT_EQ(FormatOfAll(seen, /*without_silent=*/true, &unless), 22U) << "one that lives counts";
  EXPECT_EQ(unless, std::vector<std::string>{"c2"});
}

// Programs before this one wrote entries without formats; later ones may write more.
TEST_F(ControllersTest, EntriesOfOtherReleasesAreRead) {
  const Member member{.name = "c2", .version = "1.2.3", .formats = {17, 23}, .unfit = "why"};
  ASSERT_TRUE(board.Publish(member));
  EXPECT_EQ(**board.Find("c2"), member);
  StorePut later = board.PutOf(member);
  later.value += "more";
  ASSERT_EQ(store.Commit({{}, {later}, {}}).end, CommitEnd::kCommitted);
  EXPECT_EQ(**board.Find("c2"), member);
  ByteWriter before;
  before.U64(1);
  for (const char* text : {"c2", "0.3.0", "c2:7070", "c2:8080"}) before.String(text);
  before.U64(48);
  before.I64(At(99).ns);
  before.String("boot");
  before.I64(At(98).ns);
  before.I64(5);
  const std::string bytes = before.Take();
  ASSERT_EQ(store.Commit({{}, {{keys.Member("c2"), bytes}}, {}}).end, CommitEnd::kCommitted);
  const Member found = **board.Find("c2");
  EXPECT_EQ(found.version, "0.3.0");
  EXPECT_EQ(found.applied, 48U);
  EXPECT_EQ(found.formats, kFormatsUntold);
  EXPECT_EQ(found.unfit, "");
  ASSERT_EQ(store.Commit({{}, {{keys.Member("c2"), bytes + "x"}}, {}}).end, CommitEnd::kCommitted);
  EXPECT_FALSE(board.Find("c2")) << "damaged";
  EXPECT_EQ(board.All()->front().member.formats, kFormatsUntold);
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
