#include "application/archive/archive_names.h"

#include <gtest/gtest.h>

namespace gp {
namespace {

StoredObject ObjectOf(const std::string& name) { return {name, 1, ""}; }

TEST(ArchiveNamesTest, EachKindIsReadBack) {
  const RecordsName records{12'345, 12'400, 0xab, UINT64_MAX};
  const SnapshotName snapshot{50'000, 0x1234};
  const FilesName files{Instant{1'800'000'000'000'000'000}};
  const VerifiedName verified{50'000, files.at};
  const std::vector<StoredObject> all{
      ObjectOf(NameOf(7, records)),       ObjectOf(NameOf(7, snapshot)), ObjectOf(NameOf(7, files)),
      ObjectOf(NameOf(7, BeginName{40})), ObjectOf(NameOf(7, verified)), ObjectOf(ClaimName(6))};
  std::vector<std::string> strangers;
  const auto lineages = ReadNames(all, &strangers);
  EXPECT_TRUE(strangers.empty());
  ASSERT_EQ(lineages.size(), 2U);
  const LineageObjects& of = lineages.at(7);
  EXPECT_TRUE(of.records.contains(records));
  EXPECT_TRUE(of.snapshots.contains(snapshot));
  EXPECT_TRUE(of.files.contains(files));
  EXPECT_TRUE(of.verified.contains(verified));
  EXPECT_EQ(of.Begin(), 40U);
  EXPECT_EQ(of.NewestRecord(), 50'000U);
  EXPECT_FALSE(of.is_claimed);
  EXPECT_TRUE(lineages.at(6).is_claimed);
}

TEST(ArchiveNamesTest, NamesSortAsTheirNumbersDo) {
  EXPECT_EQ(NameOf(7, RecordsName{9, 10, 1, 2}),
            "00000000000000000007/records/00000000000000000000/"
            "00000000000000000009-00000000000000000010-0000000000000001-0000000000000002.gpr");
  EXPECT_LT(NameOf(7, RecordsName{9'999, 10'010, 1, 2}),
            NameOf(7, RecordsName{10'011, 10'020, 1, 2}));
}

TEST(ArchiveNamesTest, WhatIsNoNameIsAStranger) {
  const std::string good = NameOf(7, RecordsName{9, 10, 1, 2});
  const std::vector<std::string> bad{"readme.txt",
                                     good + "x",
                                     good.substr(0, good.size() - 5) + "g.gpr",
                                     NameOf(7, SnapshotName{0, 1}),
                                     "7/snapshots/1-1.gps",
                                     "00000000000000000007/records/x",
                                     "claims/x",
                                     "99999999999999999999/files/00000000000000000001.gpf",
                                     NameOf(7, RecordsName{11, 10, 1, 2})};
  for (const std::string& name : bad) {
    std::vector<std::string> strangers;
    const std::vector<StoredObject> one{ObjectOf(name)};
    ReadNames(one, &strangers);
    EXPECT_EQ(strangers, std::vector{name});
  }
}

}  // namespace
}  // namespace gp
