#include "application/archive/archive_way.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gp {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

LineageObjects With(const std::vector<RecordsName>& records,
                    const std::vector<SnapshotName>& snapshots = {}, uint64_t begin = 0) {
  LineageObjects objects;
  for (const RecordsName& name : records) objects.records[name];
  for (const SnapshotName& name : snapshots) objects.snapshots[name];
  if (begin > 0) objects.begins[{begin}];
  return objects;
}

TEST(ArchiveWayTest, ObjectsFollowByTheirChains) {
  const LineageObjects objects = With({{1, 4, 0, 14}, {5, 6, 14, 16}, {5, 9, 99, 19}});
  const ArchiveWay way = BestWay(objects);
  EXPECT_EQ(way.last, 6U);
  EXPECT_EQ(way.chain, 16U);
  EXPECT_THAT(way.records, ElementsAre(RecordsName{1, 4, 0, 14}, RecordsName{5, 6, 14, 16}));
}

// The one before has died after 8; the next one went on after 6, as its list was.
TEST(ArchiveWayTest, OverlappingObjectsOfTwoLeadersArePassed) {
  const LineageObjects objects =
      With({{1, 4, 0, 14}, {5, 8, 14, 18}, {5, 6, 14, 16}, {7, 12, 16, 22}});
  const ArchiveWay way = BestWay(objects);
  EXPECT_EQ(way.last, 12U);
  EXPECT_EQ(way.records.size(), 3U);
  EXPECT_THAT(GapsOf(objects), IsEmpty());
}

TEST(ArchiveWayTest, TheNewestSnapshotThatLeadsToTheEndIsBest) {
  const LineageObjects objects = With({{1, 4, 0, 14}, {5, 9, 14, 19}}, {{4, 14}, {6, 77}});
  EXPECT_EQ(BestWay(objects).from, (SnapshotName{4, 14}));
  EXPECT_EQ(BestWay(objects, /*from_oldest=*/true).from, SnapshotName{});
}

TEST(ArchiveWayTest, WhatIsMissingIsNamed) {
  EXPECT_THAT(GapsOf(With({{1, 4, 0, 14}, {7, 9, 16, 19}})), ElementsAre("records 5 to 9"));
  EXPECT_THAT(GapsOf(With({{5, 9, 14, 19}})), ElementsAre("records 1 to 9"));
  EXPECT_THAT(GapsOf(With({{1, 4, 0, 14}, {7, 9, 16, 19}}, {{6, 16}})),
              ElementsAre("records 5 to 6"));
  EXPECT_THAT(GapsOf(With({{1, 4, 0, 14}}, {{5, 15}})), ElementsAre("record 5"));
}

TEST(ArchiveWayTest, RecordsBeforeTheBeginningAreNotMissed) {
  EXPECT_THAT(GapsOf(With({{7, 9, 16, 19}}, {{6, 16}}, 6)), IsEmpty());
  EXPECT_THAT(GapsOf(With({{1, 4, 0, 14}, {7, 9, 16, 19}}, {{6, 16}}, 6)), IsEmpty());
  EXPECT_THAT(GapsOf(With({{8, 9, 17, 19}}, {{6, 16}}, 6)), ElementsAre("records 7 to 9"));
  EXPECT_THAT(GapsOf(LineageObjects{}), IsEmpty());
}

}  // namespace
}  // namespace gp
