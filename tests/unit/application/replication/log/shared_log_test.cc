#include "application/replication/log/shared_log.h"

#include <gtest/gtest.h>

#include "application/replication/lead/leader_key.h"
#include "tests/unit/application/replication/faulty_store.h"

namespace gp {
namespace {

using Fault = FaultyStore::Fault;

// A log, and controllers that may lead.
class SharedLogTest : public testing::Test {
 protected:
  static bool ThreeTries(int tries) { return tries < 3; }
  void Lead(LeaderKey& key) { ASSERT_EQ(key.TryTake(), Result<bool>(true)); }
  LogWriter Writer(const LeaderKey& key) { return {log, key.term(), **log.Head(), ThreeTries}; }
  std::vector<std::string> Records() {
    std::vector<std::string> records;
    uint64_t last = 0;
    for (auto chunks = log.ReadAfter(0); chunks && !chunks->empty(); chunks = log.ReadAfter(last)) {
      for (const LogChunk& chunk : *chunks)
        records.insert(records.end(), chunk.records.begin(), chunk.records.end());
      last = chunks->back().last();
    }
    return records;
  }
  void SetUp() override {
    ASSERT_TRUE(log.Create(0, 0));
    Lead(first);
  }

  FaultyStore store;
  const StoreKeys keys{"test"};
  SharedLog log{store, keys};
  LeaderKey first{store, keys, "first", Duration::Seconds(2)};
  LeaderKey second{store, keys, "second", Duration::Seconds(2)};
};

TEST_F(SharedLogTest, HasWhatWasAppended) {
  LogWriter writer = Writer(first);
  EXPECT_EQ(writer.Append(std::vector<std::string>{"a", "b"}).end, AppendEnd::kDurable);
  EXPECT_EQ(writer.Append(std::vector<std::string>{"c"}).end, AppendEnd::kDurable);
  EXPECT_EQ(writer.last(), 3u);
  EXPECT_EQ((*log.Head())->last, 3u);
  const auto chunks = log.ReadAfter(2);
  ASSERT_TRUE(chunks);
  ASSERT_EQ(chunks->size(), 1u);
  EXPECT_EQ(chunks->front().records, std::vector<std::string>{"c"});
  EXPECT_EQ(chunks->front().first, 3u);
  EXPECT_TRUE(log.ReadAfter(3)->empty());
  EXPECT_EQ(Records(), (std::vector<std::string>{"a", "b", "c"}));
}

// A slow link takes fewer at once.
TEST_F(SharedLogTest, IsReadInSmallerPartsAfterAFailure) {
  LogWriter writer = Writer(first);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(writer.Append(std::vector<std::string>{std::to_string(i)}).end, AppendEnd::kDurable);
  }
  EXPECT_EQ(log.ReadAfter(0)->size(), 16u);
  store.reads_fail = true;
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(log.ReadAfter(0));
  store.reads_fail = false;
  EXPECT_EQ(log.ReadAfter(0)->size(), 1u);
  EXPECT_EQ(log.ReadAfter(0)->size(), 2u);
}

TEST_F(SharedLogTest, ABatchIsOneTransactionIfItFits) {
  LogWriter writer = Writer(first);
  const std::vector<std::string> batch(5, std::string(100'000, 'x'));
  store.transactions.clear();
  EXPECT_EQ(writer.Append(batch).end, AppendEnd::kDurable);
  EXPECT_EQ(store.transactions.size(), 1u);
  EXPECT_EQ(Records(), batch);
}

TEST_F(SharedLogTest, ALargeBatchTakesSeveralChunks) {
  LogWriter writer = Writer(first);
  const std::vector<std::string> batch(5, std::string(600'000, 'x'));
  EXPECT_EQ(writer.Append(batch).end, AppendEnd::kDurable);
  EXPECT_EQ(log.ReadAfter(0)->size(), 5u);
  EXPECT_EQ(Records(), batch);
}

TEST_F(SharedLogTest, AControllerOfATermThatIsOverAppendsNothing) {
  LogWriter old = Writer(first);
  EXPECT_EQ(old.Append(std::vector<std::string>{"a"}).end, AppendEnd::kDurable);
  first.Resign();
  Lead(second);
  // Even before the next leader has written.
  EXPECT_EQ(old.Append(std::vector<std::string>{"x"}).end, AppendEnd::kDeposed);
  LogWriter writer = Writer(second);
  EXPECT_EQ(writer.Append(std::vector<std::string>{"b"}).end, AppendEnd::kDurable);
  EXPECT_EQ(old.Append(std::vector<std::string>{"x"}).end, AppendEnd::kDeposed);
  EXPECT_EQ(Records(), (std::vector<std::string>{"a", "b"}));
}

// A lease may end and be granted to the same process again: it is another term all the same.
TEST_F(SharedLogTest, ATermIsNotTheNameOfItsLeader) {
  LogWriter old = Writer(first);
  first.Resign();
  Lead(first);
  EXPECT_EQ(old.Append(std::vector<std::string>{"x"}).end, AppendEnd::kDeposed);
}

TEST_F(SharedLogTest, AWriterThatMissedARecordAppendsNothing) {
  LogWriter stale = Writer(first);
  LogWriter writer = Writer(first);
  EXPECT_EQ(writer.Append(std::vector<std::string>{"a"}).end, AppendEnd::kDurable);
  EXPECT_EQ(stale.Append(std::vector<std::string>{"x"}).end, AppendEnd::kDeposed);
  EXPECT_EQ(Records(), std::vector<std::string>{"a"});
}

TEST_F(SharedLogTest, ALostAnswerIsFoundOut) {
  LogWriter writer = Writer(first);
  store.faults = {Fault::kAnswerLost};
  EXPECT_EQ(writer.Append(std::vector<std::string>{"a"}).end, AppendEnd::kDurable);
  EXPECT_EQ(writer.Append(std::vector<std::string>{"b"}).end, AppendEnd::kDurable);
  EXPECT_EQ(Records(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(SharedLogTest, TheSameTransactionIsTriedAgain) {
  LogWriter writer = Writer(first);
  store.transactions.clear();
  store.faults = {Fault::kLost, Fault::kLost};
  EXPECT_EQ(writer.Append(std::vector<std::string>{"a"}).end, AppendEnd::kDurable);
  ASSERT_EQ(store.transactions.size(), 3u);
  for (const StoreTransaction& sent : store.transactions) {
    EXPECT_EQ(sent.puts[0].key, store.transactions[0].puts[0].key);
    EXPECT_EQ(sent.puts[0].value, store.transactions[0].puts[0].value);
  }
  EXPECT_EQ(Records(), std::vector<std::string>{"a"});
}

TEST_F(SharedLogTest, ARequestThatComesLateChangesNothing) {
  LogWriter writer = Writer(first);
  store.faults = {Fault::kLate};
  EXPECT_EQ(writer.Append(std::vector<std::string>{"a"}).end, AppendEnd::kDurable);
  EXPECT_EQ(writer.Append(std::vector<std::string>{"b"}).end, AppendEnd::kDurable);
  store.Arrive();
  EXPECT_EQ(Records(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(SharedLogTest, WithoutAnyAnswerTheEndIsUnknown) {
  LogWriter writer = Writer(first);
  store.faults = {Fault::kLate, Fault::kLost, Fault::kLost};
  const Appended appended = writer.Append(std::vector<std::string>{"a"});
  EXPECT_EQ(appended.end, AppendEnd::kUnknown);
  EXPECT_EQ(appended.why, "the shared log does not answer: no answer");
  // It may be carried out all the same, unless the term ends first.
  first.Resign();
  store.Arrive();
  EXPECT_TRUE(Records().empty());
}

// The commit was refused, but the read that could tell why finds no answer.
TEST_F(SharedLogTest, ARefusalThatCannotBeExplainedIsTriedAgain) {
  LogWriter writer = Writer(first);
  store.faults = {Fault::kAnswerLost};
  store.reads_fail = true;
  EXPECT_EQ(writer.Append(std::vector<std::string>{"a"}).end, AppendEnd::kUnknown);
  store.reads_fail = false;
  EXPECT_EQ(Records(), std::vector<std::string>{"a"});
}

TEST_F(SharedLogTest, TheLogIsCreatedOnce) {
  LogWriter writer = Writer(first);
  EXPECT_EQ(writer.Append(std::vector<std::string>{"a"}).end, AppendEnd::kDurable);
  EXPECT_TRUE(log.Create(0, 0));
  EXPECT_EQ((*log.Head())->last, 1u);
}

TEST_F(SharedLogTest, AGapIsNamed) {
  LogWriter writer = Writer(first);
  EXPECT_EQ(writer.Append(std::vector<std::string>{"a"}).end, AppendEnd::kDurable);
  EXPECT_EQ(writer.Append(std::vector<std::string>{"b"}).end, AppendEnd::kDurable);
  EXPECT_EQ(writer.Append(std::vector<std::string>{"c"}).end, AppendEnd::kDurable);
  ASSERT_EQ(store.sound.Commit({{}, {}, {{keys.Chunk(2), ""}}}).end, CommitEnd::kCommitted);
  const auto chunks = log.ReadAfter(0);
  ASSERT_FALSE(chunks);
  EXPECT_EQ(chunks.error(),
            Conflict("the shared log has no chunk that begins with record 2: the next "
                     "one begins with 3"));
  // Where a journal ends in the middle of a chunk, or before a gap.
  const auto after = log.ReadAfter(1);
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error(),
            Conflict("the shared log has no chunk that begins with record 2: replace this "
                     "controller's journal by a copy of another controller's"));
}

TEST_F(SharedLogTest, WhatWasTrimmedIsNoSilentGap) {
  LogWriter writer = Writer(first);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(writer.Append(std::vector<std::string>{"a"}).end, AppendEnd::kDurable);
  ASSERT_EQ(store.sound.Commit({{}, {}, {{keys.Chunk(0), keys.Chunk(3)}}}).end,
            CommitEnd::kCommitted);
  EXPECT_EQ(log.ReadAfter(2)->size(), 1u);
  const auto chunks = log.ReadAfter(1);
  ASSERT_FALSE(chunks);
  EXPECT_EQ(chunks.error(),
            Conflict("the shared log begins with record 3, but this controller's journal ends with "
                     "record 1: what is between was trimmed, or was never in this log: copy the "
                     "state directory of another controller of this cluster (gpu-platform admin "
                     "backup, then admin controllers join)"));
}

TEST_F(SharedLogTest, PlacesAreThoseOfItsChunks) {
  LogWriter writer = Writer(first);
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(writer.Append(std::vector<std::string>{"a", "b"}).end, AppendEnd::kDurable);
  std::vector<ChunkPlace> places;
  for (uint64_t from = 5;;) {
    const auto some = log.ReadPlaces(from, 500);
    ASSERT_TRUE(some);
    if (some->empty()) break;
    places.insert(places.end(), some->begin(), some->end());
    from = places.back().first + 1;
  }
  ASSERT_EQ(places.size(), 248u);
  EXPECT_EQ(places.front().first, 5u);
  EXPECT_EQ(places.back().first, 499u);
  EXPECT_EQ(places.back().bytes,
            store.Read({keys.Chunk(499), ""}, 1)->entries.front().value.size());
}

}  // namespace
}  // namespace gp
