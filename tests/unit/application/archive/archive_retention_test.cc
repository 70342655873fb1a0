#include "application/archive/archive_retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using testing::UnorderedElementsAre;

constexpr Duration kDay = Duration::Minutes(60L * 24);
constexpr Instant kNow{Duration::Minutes(60L * 24 * 1'000).ns};

LineageObjects Sample() {
  LineageObjects objects;
  objects.records[{1, 50, 0, 1}];
  objects.records[{51, 60, 1, 2}];
  objects.snapshots[{50, 1}];
  objects.snapshots[{60, 2}];
  return objects;
}

TEST(ArchiveRetentionTest, TheArchiveBeginsWithWhatWasVerifiedLongAgo) {
  LineageObjects objects = Sample();
  EXPECT_EQ(NextBegin(objects, kNow, kDay), std::nullopt);
  objects.verified[{50, kNow - kDay}];
  objects.verified[{60, kNow - kDay + Duration::Seconds(1)}];
  EXPECT_EQ(NextBegin(objects, kNow, kDay), std::optional<uint64_t>(50));
  EXPECT_EQ(NextBegin(objects, kNow - Duration::Seconds(1), kDay), std::nullopt);
}

TEST(ArchiveRetentionTest, WithoutTheSnapshotItDoesNot) {
  LineageObjects objects = Sample();
  objects.verified[{55, kNow - kDay}];
  EXPECT_EQ(NextBegin(objects, kNow, kDay), std::nullopt);
  objects.snapshots[{55, 7}];
  EXPECT_EQ(NextBegin(objects, kNow, kDay), std::nullopt) << "it leads nowhere";
}

TEST(ArchiveRetentionTest, OnlyWhatIsBeforeTheBeginningGoes) {
  LineageObjects objects = Sample();
  EXPECT_TRUE(Superfluous(7, objects, kNow, kDay).empty());
  objects.begins[{60}];
  objects.begins[{50}];
  objects.verified[{50, kNow}];
  EXPECT_THAT(
      Superfluous(7, objects, kNow, kDay),
      UnorderedElementsAre(NameOf(7, RecordsName{1, 50, 0, 1}),
                           NameOf(7, RecordsName{51, 60, 1, 2}), NameOf(7, SnapshotName{50, 1}),
                           NameOf(7, BeginName{50}), NameOf(7, VerifiedName{50, kNow})));
}

TEST(ArchiveRetentionTest, TheNewestFilesStay) {
  LineageObjects objects;
  objects.files[{kNow - kDay * 3}];
  objects.files[{kNow - kDay * 2}];
  EXPECT_THAT(Superfluous(7, objects, kNow, kDay),
              UnorderedElementsAre(NameOf(7, FilesName{kNow - kDay * 3})));
  objects.files[{kNow}];
  EXPECT_TRUE(Superfluous(7, objects, kNow, kDay).empty());
}

}  // namespace
}  // namespace gp
