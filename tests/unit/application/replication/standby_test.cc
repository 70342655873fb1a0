#include "application/replication/standby.h"

#include <gtest/gtest.h>

#include "domain/cluster/codec/codec.h"
#include "tests/unit/application/replication/standby_fixture.h"

namespace gp {
namespace {

TEST_F(StandbyTest, HasTheLeadersState) {
  first.SetQueue("prod");
  EXPECT_EQ(second.Turn(), Result<Standby::Role>(Standby::Role::kFollows));
  EXPECT_EQ(StateDigest(second.replica->state()), first.Digest());
  EXPECT_EQ(second.journal.LastSequence(), first.journal.LastSequence());
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
