#include "application/archive/restore_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/application/archive/archive_rig.h"

namespace gp {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RestoreArchiveTest : public testing::Test {
 protected:
  RestoreArchiveTest() {
    for (int object = 0; object < 12; ++object) {
      rig_.Work(3);
      if (!rig_.Review()) throw "not copied";
      if (object % 4 == 3) rig_.Snap();
    }
    rig_.Work(2);
    if (!rig_.Review()) throw "not copied";
  }
  void Spoil(const StoredObject& object) { rig_.objects.objects.at(object.name)[20] ^= 1; }

  ArchiveRig rig_;
};

TEST_F(RestoreArchiveTest, TheNewestSnapshotAndWhatFollowsSuffice) {
  const auto restored = rig_.Restore();
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->state, rig_.StateNow());
  EXPECT_EQ(restored->archive.snapshot, rig_.Listed().snapshots.rbegin()->first.sequence);
  EXPECT_EQ(restored->archive.files.files, rig_.files.files);
  EXPECT_THAT(restored->archive.faults, IsEmpty());
}

TEST_F(RestoreArchiveTest, TheHistoryHasEveryRecord) {
  const auto restored = rig_.Restore({.history = true});
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->archive.snapshot, 0U);
  EXPECT_THAT(restored->records, SizeIs(rig_.journal.LastSequence()));
  EXPECT_EQ(restored->state, rig_.StateNow());
}

TEST_F(RestoreArchiveTest, AnOlderSnapshotServesWhereTheNewestIsDamaged) {
  const LineageObjects listed = rig_.Listed();
  Spoil(listed.snapshots.rbegin()->second);
  const auto restored = rig_.Restore();
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->archive.snapshot, std::next(listed.snapshots.rbegin())->first.sequence);
  EXPECT_EQ(restored->state, rig_.StateNow());
  EXPECT_THAT(restored->archive.faults, SizeIs(1));
}

TEST_F(RestoreArchiveTest, DamagedRecordsAreRefusedUnlessTheLossIsAccepted) {
  const LineageObjects listed = rig_.Listed();
  const auto& [name, object] = *listed.records.rbegin();
  Spoil(object);
  const auto refused = rig_.Restore();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kConflict);
  EXPECT_THAT(refused.error().message, HasSubstr(object.name));
  EXPECT_THAT(refused.error().message, HasSubstr("--accept-loss"));
  const auto accepted = rig_.Restore({.accepts_loss = true});
  ASSERT_TRUE(accepted) << accepted.error().message;
  EXPECT_EQ(accepted->archive.last, name.first - 1);
}

TEST_F(RestoreArchiveTest, AGapBeforeTheNewestSnapshotDoesNotMatter) {
  rig_.objects.objects.erase(rig_.Listed().records.begin()->second.name);
  const auto restored = rig_.Restore();
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->state, rig_.StateNow());
}

TEST_F(RestoreArchiveTest, AStoreThatIsAwayIsNoDamage) {
  rig_.objects.is_away = true;
  EXPECT_EQ(rig_.Restore({.accepts_loss = true}).error().code, ErrorCode::kUnavailable);
}

TEST_F(RestoreArchiveTest, OneClaimsALineage) {
  ASSERT_TRUE(ClaimLineage(rig_.archive, 7, "at noon on c8"));
  const Status second = ClaimLineage(rig_.archive, 7, "at noon on c9");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kConflict);
  EXPECT_THAT(second.error().message, HasSubstr("c8"));
  EXPECT_TRUE(ClaimLineage(rig_.archive, 8, "at noon on c9"));
}

TEST_F(RestoreArchiveTest, AClaimThatIsNotReadBackIsNone) {
  rig_.objects.knows_conditions = false;
  rig_.objects.next_put = [](const std::string&) { return MemoryObjects::Fault::kLost; };
  EXPECT_FALSE(ClaimLineage(rig_.archive, 7, "at noon on c8"));
}

}  // namespace
}  // namespace gp
