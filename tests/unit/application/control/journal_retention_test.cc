#include "application/control/journal_retention.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "adapters/outbound/memory/manual_clock.h"
#include "adapters/outbound/memory/memory_journal.h"
#include "application/control/control_loop.h"
#include "application/control/recover.h"
#include "tests/support/test_cluster.h"

namespace gp {
namespace {

constexpr Duration kNothingDropped;
constexpr Duration kDay = Duration::Minutes(60 * 24);

Instant Day(int64_t day) { return Instant{} + Duration::Nanoseconds(kDay.ns * day); }

TEST(JournalRetention, TwoSnapshotsStayWhereAllRecordsDo) {
  const SnapshotPlace places[] = {{10, Day(1)}, {20, Day(2)}, {30, Day(3)}, {40, Day(900)}};
  EXPECT_EQ(WhatToDrop(places, 0, Day(900), kNothingDropped), (JournalDrops{{10, 20}, 0}));
  EXPECT_EQ(WhatToDrop({}, 0, Day(900), kNothingDropped), JournalDrops{});
  EXPECT_EQ(WhatToDrop({places, 1}, 0, Day(900), kNothingDropped), JournalDrops{});
}

TEST(JournalRetention, TheBeginningStaysWhereNothingMoreIsDropped) {
  const SnapshotPlace places[] = {{10, Day(1)}, {20, Day(2)}, {30, Day(3)}, {40, Day(4)}};
  EXPECT_EQ(WhatToDrop(places, 10, Day(4), kNothingDropped), (JournalDrops{{20}, 10}));
}

TEST(JournalRetention, TheNewestThatIsOldEnoughBecomesTheBeginning) {
  const SnapshotPlace places[] = {{10, Day(1)}, {20, Day(5)}, {30, Day(9)}, {40, Day(12)}, {50, Day(15)}};
  const Duration keep = Duration::Nanoseconds(kDay.ns * 10);
  EXPECT_EQ(WhatToDrop(places, 0, Day(15), keep), (JournalDrops{{10}, 20}));
  EXPECT_EQ(WhatToDrop(places, 10, Day(14), keep), (JournalDrops{{}, 10})) << "not a day too soon";
  EXPECT_EQ(WhatToDrop(places, 0, Day(40), keep), (JournalDrops{{10, 20, 30, 40}, 50}));
}

TEST(JournalRetention, WhoseTimeIsNotKnownIsNoBeginning) {
  const SnapshotPlace places[] = {{10, {}}, {20, Day(5)}, {30, Day(6)}};
  EXPECT_EQ(WhatToDrop(places, 10, Day(7), kDay), (JournalDrops{{10, 20}, 30}));
  EXPECT_EQ(WhatToDrop(places, 10, Day(5), kDay), (JournalDrops{{}, 10}));
  const SnapshotPlace known_before[] = {{10, Day(1)}, {20, {}}, {30, Day(6)}};
  EXPECT_EQ(WhatToDrop(known_before, 0, Day(6), kDay), (JournalDrops{{}, 10}));
}

// A journal of a year, a snapshot each hour, of which three weeks are asked for.
TEST(JournalRetention, KeepsEnoughAndNotMuchMore) {
  const Duration keep = Duration::Nanoseconds(kDay.ns * 21);
  std::vector<SnapshotPlace> places;
  uint64_t base = 0;
  for (int64_t hour = 1; hour <= 24 * 365; ++hour) {
    const Instant now = Day(1) + Duration::Minutes(60 * hour);
    places.push_back({static_cast<uint64_t>(hour), now});
    const JournalDrops drops = WhatToDrop(places, base, now, keep);
    std::erase_if(places, [&](const SnapshotPlace& one) { return std::ranges::find(drops.snapshots, one.sequence) != drops.snapshots.end(); });
    ASSERT_LE(places.size(), 12u);
    if (drops.first_kept == base) continue;
    base = drops.first_kept;
    ASSERT_EQ(places.front().sequence, base);
    ASSERT_GE(now - places.front().at, keep);
  }
  const int64_t kept_hours = 24 * 365 - static_cast<int64_t>(base);
  EXPECT_GE(kept_hours, 24 * 21);
  EXPECT_LE(kept_hours, 24 * 21 * 9 / 8 + 2);
}

// A controller that drops what is older than ten seconds, restarted now and then.
class DroppingController : public testing::Test {
 protected:
  void Open() {
    loop_.reset();
    ControlOptions options;
    options.records_per_snapshot = 4;
    options.keep_journal = Duration::Seconds(10);
    loop_ = *ControlLoop::Open(journal_, clock_, options);
    loop_->Start();
  }
  void Submit() {
    JobSpec spec;
    spec.command = {"/bin/true"};
    ASSERT_TRUE(loop_->Execute("user:ana", "", SubmitJob{std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000}}).status);
  }

  ManualClock clock_;
  MemoryJournal journal_;
  std::unique_ptr<ControlLoop> loop_;
};

TEST_F(DroppingController, RecoversAndDecidesAgainFromWhereItBegins) {
  for (int second = 0; second < 60; ++second) {
    if (second % 20 == 0) Open();
    Submit();
    clock_.Advance(Duration::Seconds(1));
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
  EXPECT_EQ(report->digest, StateDigest(*DecodeState(before))) << "of the whole state, not of what the records alone make";
}

}  // namespace
}  // namespace gp
