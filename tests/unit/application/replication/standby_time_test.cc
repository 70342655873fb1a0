#include "application/replication/standby.h"

#include <gtest/gtest.h>

#include "tests/unit/application/replication/standby_fixture.h"

namespace gp {
namespace {

// Its own clock measures on from the leader's time; its wall clock may be wrong.
TEST_F(StandbyTest, KnowsTheTimeWithoutItsWallClock) {
  const auto pass = [&](Duration by) {
    first.clock.Advance(by);
    second.clock.Advance(by);
  };
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  Live(Duration::Seconds(5));
  const Instant before = first.Time();
  second.clock.StepWall(Duration::Seconds(36'000));
  pass(Duration::Seconds(3));
  first.key.Resign();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(second.Lead());
  EXPECT_EQ(second.Time() - before, Duration::Seconds(3));
}

// The log that it has created itself says nothing of the time.
TEST_F(StandbyTest, AFreshClusterBeginsAtItsWallClock) {
  FaultyStore elsewhere;
  Seat fresh(elsewhere, "fresh");
  ASSERT_EQ(fresh.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(fresh.Lead());
  EXPECT_EQ(fresh.Time(), fresh.clock.Now());
}

// After an outage of the store the key of a leader that died long ago may still be there.
TEST_F(StandbyTest, AKeyOfALeaderIsNoProofOfItsTime) {
  const Instant before = first.Time();
  first.clock.Advance(Duration::Minutes(180));
  second.clock.Advance(Duration::Minutes(180));
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  first.key.Resign();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(second.Lead());
  EXPECT_GE(second.Time() - before, Duration::Minutes(179));
}

// It has led before, and has never seen another leader's time change.
TEST_F(StandbyTest, AFormerLeaderNeedsNoWallClockAfterARestart) {
  Live(Duration::Seconds(2));
  const Instant before = first.Time();
  first.key.Resign();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(second.Lead());
  second.key.Resign();
  first.clock.StepWall(Duration::Seconds(36'000));
  first.clock.Advance(Duration::Seconds(4));
  first.Restart();
  ASSERT_EQ(first.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(first.Lead());
  EXPECT_GE(first.Time() - before, Duration{});
  EXPECT_LE(first.Time() - before, Duration::Seconds(4));
}

// It was suspended, and the leader has died meanwhile: what it reads may have been noted long ago.
TEST_F(StandbyTest, ATimeThatIsReadAfterAGapIsNotTakenForNow) {
  Live(Duration::Seconds(2));
  const Instant before = first.Time();
  for (int i = 0; i < 3; ++i) {
    first.clock.Advance(Duration::Seconds(1));
    first.loop->Turn();
  }
  first.key.Resign();
  second.clock.Advance(Duration::Seconds(20));
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(second.Lead());
  EXPECT_GE(second.Time() - before, Duration::Milliseconds(19'500));
  EXPECT_LE(second.Time() - before, Duration::Milliseconds(20'500));
}

// The third one has not seen the time, and its wall clock is slow: it goes on from the time that
// was noted last, 17 seconds behind.
TEST_F(StandbyTest, ATimeOfATermBeforeIsNotMeasuredOn) {
  Seat third(store, "third");
  Live(Duration::Seconds(2));
  const Instant noted = (*first.log.Head())->time;
  first.key.Resign();
  second.clock.Advance(Duration::Seconds(17));
  ASSERT_EQ(third.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(third.Lead());
  const Instant behind = third.Time();
  EXPECT_EQ(behind, noted);
  third.loop->Turn();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  third.key.Resign();
  second.clock.Advance(Duration::Seconds(1));
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(second.Lead());
  EXPECT_EQ(second.Time() - behind, Duration::Seconds(1));
}

// It led before the third one did.
TEST_F(StandbyTest, ARememberedTimeOfATermBeforeIsNotMeasuredOn) {
  Seat third(store, "third");
  Live(Duration::Seconds(2));
  first.key.Resign();
  first.clock.Advance(Duration::Seconds(17));
  ASSERT_EQ(third.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(third.Lead());
  const Instant behind = third.Time();
  third.key.Resign();
  first.Restart();
  ASSERT_EQ(first.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(first.Lead());
  EXPECT_EQ(first.Time(), behind);
}

// The store has kept the leader's last note for 17 seconds.
TEST_F(StandbyTest, ANoteThatCameLateIsNotTakenForNow) {
  Live(Duration::Seconds(2));
  const Instant noted = first.Time() + Duration::Seconds(1);
  first.clock.Advance(Duration::Seconds(1));
  second.clock.Advance(Duration::Seconds(18));
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  first.loop->Turn();
  ASSERT_EQ((*first.log.Head())->time, noted);
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  first.key.Resign();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(second.Lead());
  EXPECT_GE(second.Time() - noted, Duration::Milliseconds(16'500));
}

// Another one came as late long ago.
TEST_F(StandbyTest, ALateNoteIsNotExcusedByOneOfLongAgo) {
  const auto note_late = [&] {
    first.clock.Advance(Duration::Seconds(1));
    second.clock.Advance(Duration::Seconds(4));
    ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
    first.loop->Turn();
    ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
    first.clock.Advance(Duration::Seconds(3));
    first.loop->Turn();
    ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  };
  Live(Duration::Seconds(2));
  note_late();
  Live(Duration::Seconds(5));
  const Instant noted = first.Time() + Duration::Seconds(1);
  first.clock.Advance(Duration::Seconds(1));
  second.clock.Advance(Duration::Seconds(4));
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  first.loop->Turn();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  first.key.Resign();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(second.Lead());
  EXPECT_GE(second.Time() - noted, Duration::Milliseconds(2'500));
}

// Its machine was suspended, and its clock does not count that.
TEST_F(StandbyTest, ALeaderWhoseClockStoodStillIsFollowed) {
  Live(Duration::Seconds(2));
  second.clock.Advance(Duration::Seconds(5));
  Live(Duration::Seconds(3));
  const Instant before = first.Time();
  first.key.Resign();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(second.Lead());
  EXPECT_LE(second.Time(), before);
}

// Whatever its boot clock says now, it was another one.
TEST_F(StandbyTest, DoesNotRememberTheTimeOverABoot) {
  first.clock.Advance(Duration::Seconds(2));
  first.loop->Turn();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  const Instant before = first.Time();
  first.key.Resign();
  first.clock.Advance(Duration::Seconds(100));
  second.clock.Advance(Duration::Seconds(40));
  second.clock.Reboot("second again", Duration::Seconds(60));
  second.Restart();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(second.Lead());
  EXPECT_GT(second.Time() - before, Duration::Seconds(90)) << "by its wall clock";
}

// It has seen no leader since it began again, and nobody leads; its machine has not booted.
TEST_F(StandbyTest, RemembersTheTimeAfterARestart) {
  const auto pass = [&](Duration by) {
    first.clock.Advance(by);
    second.clock.Advance(by);
  };
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  Live(Duration::Seconds(2));
  const Instant before = first.Time();
  first.key.Resign();
  pass(Duration::Seconds(4));
  second.clock.StepWall(Duration::Seconds(-36'000));
  second.Restart();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(second.Lead());
  EXPECT_EQ(second.Time() - before, Duration::Seconds(4));
}

}  // namespace
}  // namespace gp
