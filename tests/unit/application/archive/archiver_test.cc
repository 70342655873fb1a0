#include "application/archive/archiver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/ignore_result.h"
#include "tests/unit/application/archive/archive_rig.h"

namespace gp {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using Fault = MemoryObjects::Fault;

class ArchiverTest : public testing::Test {
 protected:
  void ExpectWhole() {
    EXPECT_THAT(rig_.Faults(), IsEmpty());
    const auto restored = rig_.Restore();
    ASSERT_TRUE(restored) << restored.error().message;
    EXPECT_EQ(restored->archive.last, rig_.journal.LastSequence());
    EXPECT_EQ(restored->state, rig_.StateNow());
  }
  size_t RecordObjects() { return rig_.Listed().records.size(); }

  ArchiveRig rig_;
};

TEST_F(ArchiverTest, WhatTheJournalHasIsInTheArchiveAfterOneTurn) {
  rig_.Work(5);
  ASSERT_TRUE(rig_.Copy());
  ExpectWhole();
  EXPECT_EQ(rig_.archiver->status().archived, rig_.journal.LastSequence());
  EXPECT_EQ(rig_.archiver->status().complete_until, rig_.wall);
  rig_.Work(3);
  ASSERT_TRUE(rig_.Copy());
  ExpectWhole();
}

TEST_F(ArchiverTest, ATurnWithoutNewRecordsWritesNothing) {
  rig_.Work(5);
  ASSERT_TRUE(rig_.Copy());
  rig_.objects.next_put = [](const std::string& name) {
    ADD_FAILURE() << name;
    return Fault::kNone;
  };
  EXPECT_TRUE(rig_.Copy());
  EXPECT_TRUE(rig_.Review());
}

TEST_F(ArchiverTest, TheNextProcessGoesOnAfterTheLast) {
  rig_.Work(5);
  ASSERT_TRUE(rig_.Copy());
  const size_t before = RecordObjects();
  rig_.StartCopy();
  ASSERT_TRUE(rig_.Copy());
  EXPECT_EQ(RecordObjects(), before);
  rig_.Work(2);
  ASSERT_TRUE(rig_.Copy());
  EXPECT_EQ(RecordObjects(), before + 1);
  ExpectWhole();
}

TEST_F(ArchiverTest, ANewArchiveOfAnOldJournalBeginsWithItsSnapshot) {
  rig_.Work(20);
  rig_.Snap();
  rig_.Work(3);
  ASSERT_TRUE(rig_.Copy());
  ExpectWhole();
  EXPECT_EQ(rig_.Listed().Begin(), rig_.Listed().snapshots.begin()->first.sequence);
  EXPECT_EQ(rig_.Listed().records.begin()->first.first, rig_.Listed().Begin() + 1);
}

TEST_F(ArchiverTest, AnObjectEndsWhereASnapshotDoes) {
  rig_.Work(5);
  ASSERT_TRUE(rig_.Copy());
  rig_.Work(3);
  rig_.Snap();
  const uint64_t snapshot = rig_.journal.LastSequence();
  rig_.Work(3);
  ASSERT_TRUE(rig_.Review());
  ExpectWhole();
  EXPECT_EQ(rig_.Restore()->archive.snapshot, snapshot);
}

// The one before copied them, and had no snapshot there.
TEST_F(ArchiverTest, ASnapshotInTheMiddleOfAnObjectIsLeftOut) {
  rig_.Work(5);
  const std::string state = rig_.StateNow();
  const uint64_t middle = rig_.journal.LastSequence();
  rig_.Work(3);
  ASSERT_TRUE(rig_.Review());
  ASSERT_TRUE(rig_.journal.SaveSnapshot({middle, state}));
  rig_.StartCopy();
  rig_.Work(3);
  ASSERT_TRUE(rig_.Review());
  EXPECT_THAT(rig_.Listed().snapshots, IsEmpty());
  ExpectWhole();
}

TEST_F(ArchiverTest, AFirstObjectThatIsLostIsCopiedByTheNextProcess) {
  rig_.Work(5);
  rig_.objects.next_put = [](const std::string& name) {
    return name.contains("/records/") ? Fault::kLost : Fault::kNone;
  };
  ASSERT_TRUE(rig_.Copy());
  rig_.objects.next_put = nullptr;
  rig_.Work(2);
  ASSERT_TRUE(rig_.Copy());
  rig_.StartCopy();
  ASSERT_TRUE(rig_.Copy());
  ExpectWhole();
}

TEST_F(ArchiverTest, AStoreThatRefusesDeletionsStillGetsTheRest) {
  rig_.Work(4);
  ASSERT_TRUE(rig_.Copy());
  rig_.Snap();
  ASSERT_TRUE(rig_.Review());
  rig_.MarkVerified();
  rig_.objects.refuses_deletions = true;
  ASSERT_TRUE(rig_.Copy(kArchiveDay * 60));
  EXPECT_THAT(rig_.archiver->status().trouble, HasSubstr("delete"));
  rig_.files.files[0].bytes += "x";
  rig_.Work(3);
  ASSERT_TRUE(rig_.Review());
  ExpectWhole();
  EXPECT_EQ(rig_.Restore()->archive.files.files, rig_.files.files);
}

TEST_F(ArchiverTest, FilesOfAnotherLeaderAreNotTheNewest) {
  rig_.Work(4);
  ASSERT_TRUE(rig_.Review());
  ArchivedFiles others;
  others.files = {{"join-token", "old"}};
  ASSERT_TRUE(rig_.archive.Put(NameOf(rig_.lineage(), FilesName{rig_.wall + kArchiveDay}),
                               EncodeFiles(others)));
  ASSERT_TRUE(rig_.Review());
  ASSERT_TRUE(rig_.Review());
  EXPECT_EQ(rig_.Restore()->archive.files.files, rig_.files.files);
}

TEST_F(ArchiverTest, AnObjectThatWasAcknowledgedAndLostIsWrittenAgain) {
  rig_.Work(5);
  ASSERT_TRUE(rig_.Copy());
  for (const char* kind : {"/records/", "/snapshots/", "/files/", "/begins/"}) {
    rig_.Work(4);
    rig_.Snap();
    rig_.files.files[0].bytes += "x";
    rig_.objects.next_put = [&](const std::string& name) {
      return name.contains(kind) ? Fault::kLost : Fault::kNone;
    };
    ASSERT_TRUE(rig_.Review()) << kind;
    rig_.Work(1);
    ASSERT_TRUE(rig_.Copy()) << kind;
    rig_.objects.next_put = nullptr;
    ASSERT_TRUE(rig_.Review()) << kind;
    rig_.Work(1);
    ASSERT_TRUE(rig_.Review()) << kind;
    ExpectWhole();
  }
}

TEST_F(ArchiverTest, AnErrorIsInTheStatusUntilItIsOver) {
  rig_.Work(5);
  rig_.objects.is_away = true;
  EXPECT_FALSE(rig_.Copy());
  EXPECT_THAT(rig_.archiver->status().trouble, HasSubstr("away"));
  EXPECT_EQ(rig_.archiver->status().complete_until, Instant{});
  rig_.objects.is_away = false;
  EXPECT_TRUE(rig_.Copy());
  EXPECT_EQ(rig_.archiver->status().trouble, "");
  ExpectWhole();
}

TEST_F(ArchiverTest, AStaleListCostsNothing) {
  rig_.Work(5);
  ASSERT_TRUE(rig_.Review());
  const auto old = rig_.objects.objects;
  rig_.Work(5);
  ASSERT_TRUE(rig_.Copy());
  rig_.objects.stale = &old;
  ASSERT_TRUE(rig_.Review());
  rig_.StartCopy();  // a new leader with a stale list
  rig_.Work(2);
  ASSERT_TRUE(rig_.Copy());
  rig_.objects.stale = nullptr;
  ASSERT_TRUE(rig_.Review());
  ExpectWhole();
}

TEST_F(ArchiverTest, AnotherHistoryOfTheLineageIsNotMixedIn) {
  rig_.Work(5);
  ASSERT_TRUE(rig_.Copy());
  std::vector<std::string> records;
  ASSERT_TRUE(rig_.journal.ReadAfter(0, [&](uint64_t, std::string_view bytes) {
    records.emplace_back(bytes);
    return Ok();
  }));
  rig_.Work(3);
  ASSERT_TRUE(rig_.Copy());
  const auto before = rig_.objects.objects;
  // An older copy of the journal that has gone on by itself.
  rig_.loop.reset();
  rig_.journal = MemoryJournal();
  ASSERT_EQ(rig_.journal.Append(1, 0, records).end, AppendEnd::kDurable);
  rig_.Open();
  rig_.Turn();
  rig_.StartCopy();
  EXPECT_THAT(rig_.Copy().error().message, HasSubstr("another record"));
  rig_.Work(20);
  EXPECT_THAT(rig_.Copy().error().message, HasSubstr("another record"));
  EXPECT_EQ(rig_.objects.objects, before);
}

TEST_F(ArchiverTest, WhatTheJournalHasDroppedUncopiedIsAGap) {
  rig_.Work(5);
  ASSERT_TRUE(rig_.Copy());
  rig_.Work(5);
  rig_.Snap();
  ASSERT_TRUE(rig_.journal.BeginWith(rig_.journal.LastSequence()));
  while (*rig_.journal.Sweep()) {
  }
  rig_.Work(5);
  ASSERT_TRUE(rig_.Copy());
  EXPECT_EQ(rig_.Restore()->state, rig_.StateNow());
  EXPECT_THAT(rig_.Faults(), Contains(HasSubstr("missing")));
}

TEST_F(ArchiverTest, AConflictOfTheStoreIsNoClaim) {
  rig_.objects.is_in_conflict = true;
  EXPECT_EQ(CheckClaim(rig_.archive, rig_.lineage()).error().code, ErrorCode::kUnavailable);
  IgnoreResult(rig_.Review(), "it fails");
  EXPECT_FALSE(rig_.archiver->IsClaimed());
  EXPECT_FALSE(rig_.archiver->status().copies);
  rig_.objects.is_in_conflict = false;
  EXPECT_TRUE(rig_.Review());
  EXPECT_TRUE(rig_.archiver->status().copies);
}

TEST_F(ArchiverTest, AClaimStopsIt) {
  rig_.Work(5);
  ASSERT_TRUE(rig_.Copy());
  ASSERT_TRUE(ClaimLineage(rig_.archive, rig_.lineage(), "at noon on c9"));
  EXPECT_FALSE(rig_.archiver->IsClaimed());
  EXPECT_EQ(rig_.Review().error().code, ErrorCode::kConflict);
  EXPECT_TRUE(rig_.archiver->IsClaimed());
  rig_.StartCopy();
  EXPECT_FALSE(rig_.Copy());
  EXPECT_TRUE(rig_.archiver->IsClaimed());
}

TEST_F(ArchiverTest, OldRecordsGoOnlyBehindASnapshotThatWasVerifiedLongAgo) {
  for (int snapshots = 0; snapshots < 3; ++snapshots) {
    rig_.Work(4);
    ASSERT_TRUE(rig_.Copy());
    rig_.Snap();
    ASSERT_TRUE(rig_.Review());
  }
  const auto all = rig_.Listed();
  ASSERT_TRUE(rig_.Copy(kArchiveDay * 60));
  EXPECT_EQ(rig_.Listed().records, all.records) << "nothing was verified";
  rig_.MarkVerified();
  ASSERT_TRUE(rig_.Copy(kArchiveDay * 6));
  EXPECT_EQ(rig_.Listed().records, all.records) << "not long ago";
  ASSERT_TRUE(rig_.Copy(kArchiveDay * 2));
  EXPECT_THAT(rig_.Listed().records, IsEmpty());
  EXPECT_EQ(rig_.Listed().snapshots.size(), 1U);
  ExpectWhole();
  rig_.Work(4);
  ASSERT_TRUE(rig_.Review());
  ExpectWhole();
}

TEST_F(ArchiverTest, AStepOfTheClockMakesNothingOld) {
  for (int snapshots = 0; snapshots < 2; ++snapshots) {
    rig_.Work(4);
    ASSERT_TRUE(rig_.Copy());
    rig_.Snap();
    ASSERT_TRUE(rig_.Review());
  }
  rig_.MarkVerified();
  const auto all = rig_.Listed();
  rig_.wall = rig_.wall + kArchiveDay * 60;
  ASSERT_TRUE(rig_.Copy(kArchiveDay * 2));
  ASSERT_TRUE(rig_.Copy());
  EXPECT_EQ(rig_.Listed().records, all.records);
}

// A life with faults of every kind: once the store is sound, everything is there.
TEST_F(ArchiverTest, FaultsOfTheStoreLoseNothing) {
  std::mt19937 random(7);
  const auto is = [&](int percent) { return static_cast<int>(random() % 100) < percent; };
  std::map<std::string, std::string> old;
  for (int step = 0; step < 1'500; ++step) {
    rig_.objects.next_put = [&](const std::string&) {
      if (!is(20)) return Fault::kNone;
      return std::array{Fault::kRefused, Fault::kAnswerLost, Fault::kLost}[random() % 3];
    };
    rig_.Work(static_cast<int>(random() % 4));
    if (is(10)) rig_.Snap();
    if (is(5)) rig_.files.files[0].bytes = std::to_string(step);
    if (is(5)) old = rig_.objects.objects;
    rig_.objects.stale = is(10) && !old.empty() ? &old : nullptr;
    rig_.objects.is_away = is(5);
    if (is(5)) rig_.StartCopy();
    const Status turn = rig_.Copy(Duration::Seconds(is(30) ? 70 : 1));
    ASSERT_TRUE(turn || turn.error().code == ErrorCode::kUnavailable) << turn.error().message;
  }
  rig_.objects.next_put = nullptr;
  rig_.objects.stale = nullptr;
  rig_.objects.is_away = false;
  rig_.StartCopy();
  for (int again = 0; again < 4; ++again) {
    ASSERT_TRUE(rig_.Review());
    rig_.Work(1);
  }
  ASSERT_TRUE(rig_.Review());
  ExpectWhole();
}

}  // namespace
}  // namespace gp
