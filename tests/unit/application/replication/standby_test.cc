#include "application/replication/standby.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "application/control/control_loop.h"
#include "application/replication/log/shared_journal.h"
#include "domain/cluster/codec/codec.h"
#include "tests/unit/application/replication/faulty_store.h"
#include "tests/unit/application/replication/seat.h"

namespace gp {
namespace {

class StandbyTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(first.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
    ASSERT_TRUE(first.Lead());
  }
  // Time passes while the second one follows the first.
  void Live(Duration by) {
    for (Duration passed; passed < by; passed = passed + Duration::Milliseconds(100)) {
      first.clock.Advance(Duration::Milliseconds(100));
      second.clock.Advance(Duration::Milliseconds(100));
      first.loop->Turn();
      ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
    }
  }

  FaultyStore store;
  Seat first{store, "first"};
  Seat second{store, "second"};
};

TEST_F(StandbyTest, HasTheLeadersState) {
  first.SetQueue("prod");
  EXPECT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  EXPECT_EQ(StateDigest(second.replica->state()), first.Digest());
  EXPECT_EQ(second.journal.LastSequence(), first.journal.LastSequence());
}

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

// Notes what observers see.
struct Observed : CommitObserver {
  void OnBegin(const State&, const CommittedRecords& newest) override { begun = newest.last(); }
  void OnCommit(const State& state, const CommittedRecords& committed) override {
    EXPECT_EQ(committed.after, last == 0 ? begun : last) << "no gap";
    EXPECT_EQ(committed.ends.back(), committed.events.size());
    last = committed.last();
    for (const Event& event : committed.events) {
      if (const auto* changed = std::get_if<QueueChanged>(&event)) {
        EXPECT_TRUE(state.queues.all.contains(changed->queue.name));
        queues.push_back(changed->queue.name);
      }
    }
  }
  uint64_t begun = 0;
  uint64_t last = 0;
  std::vector<std::string> queues;
};

TEST_F(StandbyTest, ShowsWhatItApplies) {
  first.SetQueue("before");
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  Observed observed;
  second.replica.emplace(second.log, second.journal, second.clock, Replica::Keeping{});
  second.replica->AddObserver(&observed);
  ASSERT_TRUE(second.replica->Recover());
  EXPECT_EQ(observed.begun, second.journal.LastSequence());
  first.SetQueue("a");
  first.SetQueue("b");
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  EXPECT_EQ(observed.queues, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(observed.last, second.journal.LastSequence());
}

TEST_F(StandbyTest, KeepsWholeBatches) {
  std::vector<std::pair<ClientRequest, Command>> batch;
  for (const char* name : {"a", "b", "c"}) {
    SetQueue set;
    set.name = name;
    batch.emplace_back(ClientRequest(name), set);
  }
  const uint64_t before = first.journal.LastSequence();
  first.loop->ExecuteAll("user:root", std::move(batch), {});
  ASSERT_EQ(first.log.ReadAfter(before)->front().records.size(), 3u);
  EXPECT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  EXPECT_EQ(second.journal.LastSequence(), before + 3);
  EXPECT_EQ(second.journal.LastChain(), first.journal.LastChain());
}

TEST_F(StandbyTest, LeadsWhenNobodyDoes) {
  first.SetQueue("prod");
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  first.SetQueue("test");
  first.key.Resign();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(second.Lead());
  EXPECT_EQ(second.loop->Epoch().epoch, first.loop->Epoch().epoch + 1);
  EXPECT_EQ(second.loop->Epoch().lineage, first.loop->Epoch().lineage);
  EXPECT_TRUE(second.loop->Read([](const State& state) {
    EXPECT_TRUE(state.queues.all.contains("prod"));
    EXPECT_TRUE(state.queues.all.contains("test"));
  }));
  // The one before it cannot write any more, and stops.
  first.clock.Advance(Duration::Seconds(1));
  EXPECT_THROW(first.loop->Turn(), Ended);
}

TEST_F(StandbyTest, OfTwoCandidatesOneLeads) {
  Seat third(store, "third");
  first.key.Resign();
  EXPECT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  EXPECT_EQ(third.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
}

TEST_F(StandbyTest, ALeadThatEndsBeforeItBeganOpensNothing) {
  first.key.Resign();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  second.key.Resign();
  Seat third(store, "third");
  ASSERT_EQ(third.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  EXPECT_FALSE(second.Lead());
  EXPECT_TRUE(third.Lead());
}

TEST_F(StandbyTest, GoesOnFromItsOwnJournalAfterARestart) {
  first.SetQueue("a");
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  first.SetQueue("b");
  second.Restart();
  EXPECT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  EXPECT_EQ(StateDigest(second.replica->state()), first.Digest());
}

// Of its own, where no leader has told its state for long.
TEST_F(StandbyTest, SavesSnapshots) {
  second.replica.emplace(second.log, second.journal, second.clock,
                         Replica::Keeping{.records_per_snapshot = 2});
  ASSERT_TRUE(second.replica->Recover());
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    first.SetQueue(name);
    ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  }
  const auto snapshot = second.journal.LatestSnapshot();
  ASSERT_TRUE(snapshot);
  EXPECT_EQ(snapshot->sequence, 4u);
  second.Restart();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  EXPECT_EQ(StateDigest(second.replica->state()), first.Digest());
}

// It was created after the last record of a journal that this controller does not have.
TEST_F(StandbyTest, ALogThatBeginsLaterIsNotFollowed) {
  FaultyStore elsewhere;
  ASSERT_TRUE(SharedLog(elsewhere, StoreKeys("test")).Create(1'000, 7));
  Seat late(elsewhere, "late");
  const auto role = late.Turn();
  ASSERT_FALSE(role);
  EXPECT_EQ(role.error().code, ErrorCode::kConflict);
  EXPECT_EQ(late.key.Owner(), Result<std::string>("")) << "it is no candidate";
}

// The first one that writes a log is known by its head.
TEST_F(StandbyTest, ALogThatNobodyHasWrittenHasNoTerm) {
  FaultyStore elsewhere;
  Seat creator(elsewhere, "creator");
  ASSERT_EQ(creator.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  EXPECT_EQ(creator.standby->head().term, 0u);
  ASSERT_TRUE(creator.Lead());
  creator.key.Resign();
  Seat next(elsewhere, "next");
  ASSERT_EQ(next.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  EXPECT_NE(next.standby->head().term, 0u);
}

TEST_F(StandbyTest, DropsOldRecords) {
  second.replica.emplace(
      second.log, second.journal, second.clock,
      Replica::Keeping{.records_per_snapshot = 4, .keep_journal = Duration::Minutes(1)});
  ASSERT_TRUE(second.replica->Recover());
  second.standby.emplace(second.log, second.key, *second.replica, second.clock,
                         Member{.name = "second"});
  for (int i = 0; i < 40; ++i) {
    first.clock.Advance(Duration::Seconds(20));
    first.SetQueue("q" + std::to_string(i));
    ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  }
  EXPECT_GT(*second.journal.BaseNumber(), 20u);
  second.Restart();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  EXPECT_EQ(StateDigest(second.replica->state()), first.Digest());
}

TEST_F(StandbyTest, ATermThatIsOverIsNotFollowed) {
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  const uint64_t last = second.replica->applied();
  first.SetQueue("prod");
  LogChunk stale = first.log.ReadAfter(last)->front();
  --stale.term;
  const StoreTransaction replace{{}, {{StoreKeys("test").Chunk(last + 1), EncodeChunk(stale)}}, {}};
  ASSERT_EQ(store.Commit(replace).end, CommitEnd::kCommitted);
  const auto role = second.Turn();
  ASSERT_FALSE(role);
  EXPECT_EQ(role.error().message, "the shared log: a term that is over has written record " +
                                      std::to_string(stale.first));
}

// Their numbers fit, and nothing else does.
TEST_F(StandbyTest, AnotherHistoryIsNotFollowed) {
  FaultyStore elsewhere;
  Seat foreign(elsewhere, "foreign");
  ASSERT_EQ(foreign.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  foreign.clock.Advance(Duration::Seconds(5));
  ASSERT_TRUE(foreign.Lead());
  for (const char* more : {"", "a"}) {
    if (*more != '\0') first.SetQueue(more);
    Seat late(store, "late");
    late.journal = foreign.journal;
    late.Restart();
    const auto role = late.Turn();
    ASSERT_FALSE(role) << more;
    EXPECT_EQ(role.error().code, ErrorCode::kConflict);
    EXPECT_NE(role.error().message.find("different records up to 1"), std::string::npos);
  }
}

TEST_F(StandbyTest, AStoreThatLostRecordsIsNotFollowed) {
  first.SetQueue("prod");
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  FaultyStore restored;
  ASSERT_TRUE(SharedLog(restored, StoreKeys("test")).Create(1, 7));
  Seat late(restored, "late");
  late.journal = second.journal;
  late.Restart();
  const auto role = late.Turn();
  ASSERT_FALSE(role);
  EXPECT_EQ(role.error().code, ErrorCode::kConflict);
  EXPECT_NE(role.error().message.find("restored from an old copy"), std::string::npos);
}

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

// Removes the records before this one from the log.
void Trim(FaultyStore& store, uint64_t before) {
  const StoreKeys keys("test");
  const StoreTransaction trim{{}, {}, {{keys.Chunk(0), keys.Chunk(before)}}};
  ASSERT_EQ(store.Commit(trim).end, CommitEnd::kCommitted);
}

// What is left may begin near the end of its journal, or far beyond it.
TEST_F(StandbyTest, ALogThatWasTrimmedHasNoSilentGap) {
  first.SetQueue("a");
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  const uint64_t had = second.replica->applied();
  for (const uint64_t more : {2, 5'000}) {
    while (first.journal.LastSequence() < had + more)
      first.SetQueue("q" + std::to_string(first.journal.LastSequence()));
    const uint64_t left = first.journal.LastSequence();
    Trim(store, left);
    const auto role = second.Turn();
    ASSERT_FALSE(role);
    EXPECT_EQ(role.error().code, ErrorCode::kConflict);
    for (const std::string& part :
         {"begins with record " + std::to_string(left), "ends with record " + std::to_string(had),
          std::string("gpu-platform admin backup")})
      EXPECT_NE(role.error().message.find(part), std::string::npos) << role.error().message;
    EXPECT_EQ(second.replica->applied(), had);
    EXPECT_EQ(second.journal.LastSequence(), had);
  }
}

TEST_F(StandbyTest, AControllerWithoutAJournalIsRefusedByATrimmedLog) {
  for (const char* name : {"a", "b", "c"}) first.SetQueue(name);
  Trim(store, 3);
  Seat third(store, "third");
  const auto role = third.Turn();
  ASSERT_FALSE(role);
  EXPECT_TRUE(role.error().message.starts_with(
      "the shared log begins with record 3, but this controller's journal ends with record 0:"))
      << role.error().message;
  // Nor does it become a candidate where nobody leads.
  first.key.Resign();
  EXPECT_FALSE(third.Turn());
  EXPECT_EQ(third.key.Owner(), Result<std::string>(""));
  // A copy of another's is enough.
  third.journal = first.journal;
  third.Restart();
  ASSERT_EQ(third.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  EXPECT_TRUE(third.Lead());
}

TEST_F(StandbyTest, AfterATrimLeadersComeAndGo) {
  for (const char* name : {"a", "b", "c"}) first.SetQueue(name);
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  Trim(store, first.journal.LastSequence());
  first.SetQueue("d");
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  first.key.Resign();
  ASSERT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(second.Lead());
  EXPECT_TRUE(
      second.loop->Read([](const State& state) { EXPECT_TRUE(state.queues.all.contains("d")); }));
  // And the one that has created the log.
  second.key.Resign();
  first.Restart();
  ASSERT_EQ(first.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  ASSERT_TRUE(first.Lead());
  EXPECT_EQ(first.replica->applied(), 6u);
}

TEST(Standby, OneThatHasFollowedALogBeginsNoOther) {
  FaultyStore store;
  Seat seat(store, "third");
  const auto stand = [&](bool may_create) {
    seat.standby.emplace(seat.log, seat.key, *seat.replica, seat.clock, Member{.name = "third"},
                         may_create);
    return seat.standby->Turn();
  };
  const auto refused = stand(false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  EXPECT_EQ(seat.key.Owner(), Result<std::string>("")) << "it has not taken the lead either";
  EXPECT_FALSE(seat.log.Head()->has_value());
  // Once there is a log, it follows.
  Seat creator(store, "first");
  ASSERT_EQ(creator.Turn(), Result<Standby::Role>(Standby::Role::kLeads));
  EXPECT_EQ(stand(false), Result<Standby::Role>(Standby::Role::kFollows));
}

// What is not in its own journal must not be trimmed.
TEST_F(StandbyTest, ALeaderTellsWhatItsOwnJournalHas) {
  MemberBoard board(store, StoreKeys("test"));
  for (const char* name : {"a", "b"}) {
    first.SetQueue(name);
    first.clock.Advance(Duration::Seconds(2));
    first.loop->Turn();
    EXPECT_EQ((*board.Find("first"))->applied, first.journal.LastSequence());
  }
  EXPECT_EQ(first.journal.LastSequence(), 3u);
}

// Else what it still lacks would be trimmed.
TEST_F(StandbyTest, OneThatCatchesUpTellsHowFarItIs) {
  for (int i = 0; i < 100; ++i) first.SetQueue("q" + std::to_string(i));
  first.clock.Advance(Duration::Seconds(2));
  ASSERT_EQ(second.standby->Turn(), Result<Standby::Role>(Standby::Role::kIsLate));
  // At its first look: a leader that begins to trim must know of it.
  const auto told = MemberBoard(store, StoreKeys("test")).Find("second");
  ASSERT_TRUE(told && *told);
  EXPECT_EQ((*told)->applied, second.journal.LastSequence());
  EXPECT_LT((*told)->applied, first.journal.LastSequence());
}

}  // namespace
}  // namespace gp
