#include "application/replication/care/log_trimmer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/outbound/memory/manual_clock.h"
#include "application/replication/lead/leader_key.h"
#include "tests/unit/application/replication/faulty_store.h"

namespace gp {
namespace {

using Fault = FaultyStore::Fault;

constexpr TrimLimits kTen{.keep_records = 10};

// A leader that writes chunks of one record, and members that say what they have.
class LogTrimmerTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(log.Create(0, 0));
    ASSERT_EQ(key.TryTake(), Result<bool>(true));
    Begin();
  }
  // A term's writer and trimmer.
  void Begin(const TrimLimits& limits = kTen) {
    const LogHead head = **log.Head();
    writer.emplace(log, key.term(), head, [](int tries) { return tries < 3; }, &written);
    trimmer.emplace(store, keys, clock, key.term(), head.last, written, limits);
  }
  void Write(int records) {
    for (int i = 0; i < records; ++i)
      ASSERT_EQ(writer->Append(std::vector<std::string>{"record"}).end, AppendEnd::kDurable);
  }
  void Tell(const std::string& name, uint64_t applied) {
    Member member;
    member.name = name;
    member.applied = applied;
    ASSERT_TRUE(MemberBoard(store, keys).Publish(member));
  }
  // Until nothing is left to do.
  Status Trim() {
    Result<bool> more = trimmer->Turn();
    while (more && *more) more = trimmer->Turn();
    return more ? Ok() : Status(Fail(more.error()));
  }
  std::vector<uint64_t> Chunks() {
    std::vector<uint64_t> firsts;
    const auto read = store.sound.Read(keys.Chunks(), 10'000);
    for (const StoreEntry& entry : read->entries) firsts.push_back(keys.FirstOf(entry.key));
    return firsts;
  }
  uint64_t First() { return Chunks().empty() ? 0 : Chunks().front(); }

  FaultyStore store;
  ManualClock clock;
  const StoreKeys keys{"test"};
  SharedLog log{store, keys};
  LeaderKey key{store, keys, "first", Duration::Seconds(2)};
  NewChunks written;
  std::optional<LogWriter> writer;
  std::optional<LogTrimmer> trimmer;
};

TEST_F(LogTrimmerTest, RemovesWhatEveryMemberHas) {
  Write(40);
  Tell("a", 40);
  Tell("b", 20);
  ASSERT_TRUE(Trim());
  EXPECT_EQ(First(), 21u);
  Tell("b", 40);
  ASSERT_TRUE(Trim());
  EXPECT_EQ(First(), 31u) << "the newest ten stay";
  Write(5);
  Tell("a", 45);
  Tell("b", 44);
  ASSERT_TRUE(Trim());
  EXPECT_EQ(First(), 36u);
}

TEST_F(LogTrimmerTest, RemovesNothingWhileNobodyHasSaidWhatItHas) {
  Write(40);
  ASSERT_TRUE(Trim());
  EXPECT_EQ(Chunks().size(), 40u);
}

TEST_F(LogTrimmerTest, DoesNotWaitForTheDead) {
  Write(40);
  Tell("dead", 5);
  for (int i = 0; i < 5; ++i) {
    Tell("live", 40);
    ASSERT_TRUE(Trim());
    EXPECT_EQ(First(), 6u);
    clock.Advance(Duration::Seconds(11));
  }
  Tell("live", 40);
  clock.Advance(Duration::Seconds(6));
  ASSERT_TRUE(Trim());
  EXPECT_EQ(First(), 31u);
}

// Whether a member of which it knows nothing lives, it cannot know.
TEST_F(LogTrimmerTest, ANewLeaderWaitsForEveryMember) {
  Write(40);
  Tell("dead", 5);
  clock.Advance(Duration::Minutes(10));
  Tell("live", 40);
  Begin();
  ASSERT_TRUE(Trim());
  EXPECT_EQ(First(), 6u);
}

// Perhaps one of a later version.
TEST_F(LogTrimmerTest, AMemberThatItCannotReadHoldsEverything) {
  Write(40);
  Tell("a", 40);
  ASSERT_EQ(store.Commit({{}, {{keys.Member("b"), "a later format"}}, {}}).end,
            CommitEnd::kCommitted);
  ASSERT_TRUE(Trim());
  EXPECT_EQ(Chunks().size(), 40u);
}

TEST_F(LogTrimmerTest, BeyondTheLimitItWaitsForNobody) {
  Write(40);
  uint64_t bytes = 0;
  const auto newest = store.sound.Read({keys.Chunk(21), keys.Chunk(41)}, 100);
  for (const StoreEntry& entry : newest->entries) bytes += entry.value.size();
  written.Take();
  Begin({.keep_records = 10, .most_bytes = bytes});
  Tell("slow", 5);
  ASSERT_TRUE(Trim());
  EXPECT_EQ(First(), 21u);
}

TEST_F(LogTrimmerTest, ANewTermGoesOnWithWhatTheOneBeforeLeft) {
  Write(30);
  Tell("a", 30);
  ASSERT_TRUE(Trim());
  ASSERT_EQ(First(), 21u);
  Write(5);
  key.Resign();
  ASSERT_EQ(key.TryTake(), Result<bool>(true));
  Begin();
  written.Take();
  Write(5);
  Tell("a", 40);
  ASSERT_TRUE(Trim());
  EXPECT_EQ(First(), 31u);
  EXPECT_EQ(Chunks().size(), 10u);
}

TEST_F(LogTrimmerTest, RemovesAHundredAtATime) {
  Write(250);
  Tell("a", 250);
  while (Chunks().size() == 250) ASSERT_EQ(trimmer->Turn(), Result<bool>(true));
  EXPECT_EQ(First(), 101u);
  EXPECT_EQ(trimmer->Turn(), Result<bool>(true));
  EXPECT_EQ(First(), 201u);
  EXPECT_EQ(trimmer->Turn(), Result<bool>(false));
  EXPECT_EQ(First(), 241u);
  EXPECT_EQ(Chunks().size(), 10u);
}

// A log that was not trimmed for long is read in parts first.
TEST_F(LogTrimmerTest, AGapIsLeftAtNoTime) {
  Write(250);
  key.Resign();
  ASSERT_EQ(key.TryTake(), Result<bool>(true));
  Begin();
  Tell("a", 250);
  for (bool more = true; more;) {
    store.faults = {Fault::kLate, Fault::kAnswerLost, Fault::kLost};
    Result<bool> turn = trimmer->Turn();
    for (int tries = 0; !turn && tries < 3; ++tries) {
      EXPECT_EQ(turn.error().code, ErrorCode::kUnavailable);
      turn = trimmer->Turn();
    }
    store.faults.clear();
    ASSERT_TRUE(turn) << turn.error().message;
    more = *turn;
    const std::vector<uint64_t> left = Chunks();
    EXPECT_EQ(left.back(), 250u);
    EXPECT_EQ(left.size(), 250 - left.front() + 1);
  }
  store.Arrive();
  EXPECT_EQ(First(), 241u);
}

TEST_F(LogTrimmerTest, ATermThatIsOverRemovesNothing) {
  Write(40);
  Tell("a", 40);
  ASSERT_TRUE(*trimmer->Turn()) << "it has read what was there before";
  key.Resign();
  ASSERT_EQ(key.TryTake(), Result<bool>(true));
  Status trimmed = Trim();
  ASSERT_FALSE(trimmed);
  EXPECT_EQ(trimmed.error().code, ErrorCode::kConflict);
  EXPECT_EQ(Chunks().size(), 40u);
}

TEST_F(LogTrimmerTest, WaitsForAStoreThatDoesNotAnswer) {
  Write(40);
  Tell("a", 40);
  store.reads_fail = true;
  EXPECT_EQ(Trim().error().code, ErrorCode::kUnavailable);
  store.reads_fail = false;
  EXPECT_TRUE(Trim());
  EXPECT_EQ(First(), 31u);
}

TEST_F(LogTrimmerTest, ALogWithoutRecordsIsLeftAlone) {
  Tell("a", 0);
  EXPECT_TRUE(Trim());
  EXPECT_TRUE(Chunks().empty());
}

}  // namespace
}  // namespace gp
