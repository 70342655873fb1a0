#include "application/replication/standby.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/application/replication/standby_fixture.h"

namespace gp {
namespace {

TEST_F(StandbyTest, AStateThatIsTheLeadersIsFit) {
  first.writer->TellState(first.writer->last(), first.Digest());
  first.SetQueue("prod");
  EXPECT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  EXPECT_EQ(second.replica->differs_after(), 0u);
}

TEST_F(StandbyTest, ALeaderTellsItsStateWithEachSnapshot) {
  first.records_per_snapshot = 2;
  first.key.Resign();
  first.Restart();
  ASSERT_EQ(first.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(first.Lead());
  const uint64_t begin = first.journal.LastSequence();
  for (const char* queue : {"a", "b", "c", "d"}) first.SetQueue(queue);
  first.loop->Turn();
  const std::vector<LogChunk> chunks = *first.log.ReadAfter(begin);
  EXPECT_TRUE(
      std::ranges::any_of(chunks, [](const LogChunk& chunk) { return chunk.state_before != 0; }));
  EXPECT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  EXPECT_EQ(second.replica->differs_after(), 0u);
}

// It ends, and what it tells of itself says why.  The records lead its next process to the state.
TEST_F(StandbyTest, AStateThatDiffersIsRebuilt) {
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  const uint64_t after = first.writer->last();
  first.writer->TellState(after, first.Digest() + 1);
  first.SetQueue("prod");
  const Result<Standby::Role> role = second.Turn();
  ASSERT_FALSE(role);
  EXPECT_EQ(role.error().code, ErrorCode::kInternal);
  EXPECT_THAT(role.error().message, testing::HasSubstr("differs from the leader's after record " +
                                                       std::to_string(after)));
  const auto told = [&] {
    return (*MemberBoard(store, StoreKeys("test")).Find("second"))->differs_after;
  };
  EXPECT_EQ(told(), after);
  second.Restart();
  EXPECT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows)) << "once is enough";
  EXPECT_EQ(told(), after);
  first.key.Resign();
  EXPECT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
}

// The next process begins where the states differ, and does not compare what came before again.
TEST_F(StandbyTest, TwoStatesInOneTurnAreRebuiltOnce) {
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  first.writer->TellState(first.writer->last(), first.Digest());
  first.SetQueue("a");
  const uint64_t after = first.writer->last();
  first.writer->TellState(after, 1);
  first.SetQueue("b");
  EXPECT_EQ(second.Turn().error().code, ErrorCode::kInternal);
  EXPECT_EQ(second.journal.LastSequence(), after);
  second.Restart();
  EXPECT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
}

TEST_F(StandbyTest, ADifferenceIsToldUntilTheStatesAreTheSame) {
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  second.replica->RememberDifference(5);
  second.clock.Advance(Duration::Seconds(2));
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  second.Restart();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  EXPECT_EQ(second.replica->differs_after(), 5u);
  first.writer->TellState(first.writer->last(), first.Digest());
  first.SetQueue("prod");
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  EXPECT_EQ(second.replica->differs_after(), 0u);
}

// What a standby recovers from was the leader's state too.
TEST_F(StandbyTest, ASnapshotIsOfAStateThatWasCompared) {
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  const uint64_t compared = first.writer->last();
  first.writer->TellState(compared, first.Digest());
  for (const char* queue : {"a", "b", "c"}) first.SetQueue(queue);
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  EXPECT_EQ(*second.journal.Snapshots(), std::vector<uint64_t>{compared});
  const uint64_t digest = StateDigest(second.replica->state());
  second.Restart();
  EXPECT_EQ(StateDigest(second.replica->state()), digest);
}

}  // namespace
}  // namespace gp
