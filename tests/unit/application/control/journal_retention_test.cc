#include "application/control/journal_retention.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "application/control/control_loop.h"
#include "application/control/recover.h"
#include "tests/support/append_to.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

using Numbers = std::vector<uint64_t>;

constexpr Duration kForEverKept;
constexpr Duration kDay = Duration::Minutes(60 * 24);

Instant Day(int64_t day) { return Instant{} + Duration::Nanoseconds(kDay.ns * day); }

TEST(JournalRetention, TwoSnapshotsStayWhereAllRecordsDo) {
  const SnapshotPlace places[] = {{10, Day(1)}, {20, Day(2)}, {30, Day(3)}, {40, Day(900)}};
  EXPECT_EQ(NextBases(places, Day(900), kForEverKept), Numbers{});
  EXPECT_EQ(SuperfluousSnapshots(places, 0, kForEverKept), (Numbers{10, 20}));
  EXPECT_EQ(SuperfluousSnapshots({places, 2}, 0, kForEverKept), Numbers{});
  EXPECT_EQ(SuperfluousSnapshots({}, 0, kForEverKept), Numbers{});
}

TEST(JournalRetention, TheBaseStaysWhereNothingMoreIsDropped) {
  const SnapshotPlace places[] = {{10, Day(1)}, {20, Day(2)}, {30, Day(3)}, {40, Day(4)}};
  EXPECT_EQ(SuperfluousSnapshots(places, 10, kForEverKept), Numbers{20});
}

TEST(JournalRetention, TheNewestThatIsOldEnoughIsTheNextBase) {
  const SnapshotPlace places[] = {
      {10, Day(1)}, {20, Day(5)}, {30, Day(9)}, {40, Day(12)}, {50, Day(15)}};
  const Duration keep = Duration::Nanoseconds(kDay.ns * 10);
  EXPECT_EQ(NextBases(places, Day(15), keep), (Numbers{20, 10}));
  EXPECT_EQ(NextBases(places, Day(14), keep), Numbers{10}) << "not a day too soon";
}

TEST(JournalRetention, TheNewestTwoAreNoBaseHoweverOld) {
  const SnapshotPlace places[] = {{10, Day(1)}, {20, Day(5)}, {30, Day(9)}};
  EXPECT_EQ(NextBases(places, Day(900), kDay), Numbers{10});
  EXPECT_EQ(NextBases({places, 2}, Day(900), kDay), Numbers{});
}

TEST(JournalRetention, WhoseTimeIsNotKnownIsNoBase) {
  const SnapshotPlace places[] = {{10, Day(1)}, {20, {}}, {30, Day(6)}, {40, Day(6)}};
  EXPECT_EQ(NextBases(places, Day(6), kDay), Numbers{10});
}

// A journal of a year, a snapshot each hour, of which three weeks are asked for.
TEST(JournalRetention, KeepsEnoughAndNotMuchMore) {
  const Duration keep = Duration::Nanoseconds(kDay.ns * 21);
  std::vector<SnapshotPlace> places;
  uint64_t base = 0;
  for (int64_t hour = 1; hour <= 24 * 365; ++hour) {
    const Instant now = Day(1) + Duration::Minutes(60 * hour);
    places.push_back({static_cast<uint64_t>(hour), now});
    if (const Numbers bases = NextBases(places, now, keep); !bases.empty()) base = bases.front();
    std::erase_if(places, [&](const SnapshotPlace& one) { return one.sequence < base; });
    for (const uint64_t number : SuperfluousSnapshots(places, base, keep))
      std::erase_if(places, [&](const SnapshotPlace& one) { return one.sequence == number; });
    ASSERT_LE(places.size(), 12u);
    if (base == 0) continue;
    ASSERT_EQ(places.front().sequence, base);
    ASSERT_GE(now - places.front().at, keep);
  }
  const int64_t kept_hours = 24 * 365 - static_cast<int64_t>(base);
  EXPECT_GE(kept_hours, 24 * 21);
  EXPECT_LE(kept_hours, 24 * 21 * 9 / 8 + 2);
}

// Of which one snapshot cannot be read.
class DamagedSnapshots : public MemoryJournal {
 public:
  Status BeginWith(uint64_t snapshot) override {
    return snapshot == damaged ? Status(Fail(Conflict("not whole")))
                               : MemoryJournal::BeginWith(snapshot);
  }
  uint64_t damaged = 0;
};

class DropOldTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int64_t day = 1; day <= 6; ++day) {
      Record record;
      record.envelope.at = Day(day);
      const std::string records[] = {EncodeRecord(record)};
      ASSERT_TRUE(AppendTo(journal_, records));
      ASSERT_TRUE(journal_.SaveSnapshot({journal_.LastSequence(), "state"}));
    }
  }

  DamagedSnapshots journal_;
};

TEST_F(DropOldTest, BeginsWithTheNewestOldOne) {
  ASSERT_TRUE(DropOld(journal_, Day(6), {Duration::Nanoseconds(kDay.ns * 3)}));
  EXPECT_EQ(*journal_.BaseNumber(), 3u);
}

TEST_F(DropOldTest, BeginsWithTheOneBeforeWhereThatIsDamaged) {
  journal_.damaged = 3;
  ASSERT_TRUE(DropOld(journal_, Day(6), {Duration::Nanoseconds(kDay.ns * 3)}));
  EXPECT_EQ(*journal_.BaseNumber(), 2u);
}

TEST_F(DropOldTest, RecordsThatSomebodyNeedsStay) {
  ASSERT_TRUE(DropOld(journal_, Day(6), {Duration::Nanoseconds(kDay.ns * 3), 0}));
  EXPECT_EQ(*journal_.BaseNumber(), 0u);
  EXPECT_EQ(journal_.Snapshots()->size(), 6u) << "each may be the next base";
  ASSERT_TRUE(DropOld(journal_, Day(6), {Duration::Nanoseconds(kDay.ns * 3), 2}));
  EXPECT_EQ(*journal_.BaseNumber(), 2u);
}

// A controller that drops what is older than ten seconds, restarted now and then.
class DroppingController : public testing::Test {
 protected:
  void Open() {
    loop_.reset();
    ControlOptions options;
    options.records_per_snapshot = 4;
    options.keep_journal = Duration::Seconds(10);
    options.audit = audit_;
    loop_ = *ControlLoop::Open(journal_, clock_, options);
    loop_->Start();
  }
  void Submit() {
    JobSpec spec;
    spec.program.command = {"/bin/true"};
    ASSERT_TRUE(loop_
                    ->Execute("user:ana", "",
                              SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000}})
                    .status);
  }

  void SubmitForSeconds(int seconds) {
    for (int second = 0; second < seconds; ++second) {
      Submit();
      clock_.Advance(Duration::Seconds(1));
    }
  }

  ManualClock clock_;
  MemoryJournal journal_;
  AuditTrail* audit_ = nullptr;
  std::unique_ptr<ControlLoop> loop_;
};

TEST_F(DroppingController, RecoversAndDecidesAgainFromWhereItBegins) {
  for (int life = 0; life < 3; ++life) {
    Open();
    SubmitForSeconds(20);
  }
  std::string before;
  ASSERT_TRUE(loop_->Read([&](const State& state) { before = EncodeState(state); }));
  loop_.reset();
  const uint64_t base = journal_.Base()->sequence;
  EXPECT_GT(base, 0u);
  EXPECT_EQ(EncodeState(RecoverState(journal_)->state), before);
  const auto report = Replay(journal_, true);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->first, base + 1);
  EXPECT_EQ(report->records, journal_.LastSequence() - base);
  EXPECT_TRUE(report->differences.empty()) << report->differences.front();
  EXPECT_EQ(report->digest, StateDigest(*DecodeState(before)))
      << "of the whole state, not of what the records alone make";
}

// Notes its entries, until it breaks.
class Trail : public AuditTrail {
 public:
  void Write(AuditEntry entry) override { entries.push_back(std::move(entry)); }
  uint64_t LastNumber() const override { return entries.empty() ? 0 : entries.back().number; }
  uint64_t WrittenUntil() const override { return written_until; }
  Result<std::vector<WrittenAuditEntry>> Read(const AuditQuery&) override {
    return std::vector<WrittenAuditEntry>{};
  }

  std::vector<AuditEntry> entries;
  uint64_t written_until = UINT64_MAX;
};

TEST_F(DroppingController, KeepsWhatTheAuditTrailLacks) {
  Trail trail;
  trail.written_until = 13;
  audit_ = &trail;
  Open();
  SubmitForSeconds(40);
  EXPECT_GT(*journal_.BaseNumber(), 0u);
  EXPECT_LE(*journal_.BaseNumber(), 13u);
  loop_.reset();
  trail.written_until = UINT64_MAX;
  Open();
  SubmitForSeconds(20);
  loop_.reset();
  EXPECT_GT(*journal_.BaseNumber(), 13u);
}

TEST_F(DroppingController, ANewAuditTrailSaysWhereItBegins) {
  Open();
  SubmitForSeconds(40);
  loop_.reset();
  const uint64_t base = *journal_.BaseNumber();  // it may drop more while it runs
  Trail trail;
  audit_ = &trail;
  Open();
  loop_.reset();
  ASSERT_FALSE(trail.entries.empty());
  EXPECT_EQ(trail.entries.front().operation, kJournalCut);
  EXPECT_EQ(trail.entries.front().number, base);
}

}  // namespace
}  // namespace gp
