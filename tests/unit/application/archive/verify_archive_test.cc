#include "application/archive/verify_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/unit/application/archive/archive_rig.h"

namespace gp {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// An archive with objects of every kind.
class VerifyArchiveTest : public testing::Test {
 protected:
  VerifyArchiveTest() {
    rig_.Work(10);
    rig_.Snap();
    for (int object = 0; object < 30; ++object) {
      rig_.Work(3);
      if (object % 7 == 3) rig_.Snap();
      if (!rig_.Review()) throw "not copied";
    }
    rig_.MarkVerified();
    rig_.Work(3);
    if (!rig_.Review()) throw "not copied";
  }

  void AStateThatTheRecordsDoNotLeadTo() {
    const auto [name, object] = *rig_.Listed().snapshots.rbegin();
    State other;
    other.lineage = 5;
    ASSERT_TRUE(rig_.archive.Put(object.name, EncodeState(other)));
    EXPECT_THAT(rig_.Faults(), Contains(HasSubstr("lead to another state")));
  }

  ArchiveRig rig_;
};

TEST_F(VerifyArchiveTest, ASoundArchiveHasNoFaults) {
  const auto report = VerifyArchive(rig_.archive, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->faults, IsEmpty());
  EXPECT_EQ(report->last, rig_.journal.LastSequence());
  EXPECT_EQ(report->objects, rig_.objects.objects.size());
  EXPECT_EQ(report->snapshots, 5U);
  EXPECT_EQ(report->lineage, rig_.lineage());
}

TEST_F(VerifyArchiveTest, OnlyWhatIsNewIsReadOnRequest) {
  const auto all = VerifyArchive(rig_.archive, {});
  const auto some = VerifyArchive(rig_.archive, {0, /*only_new=*/true});
  EXPECT_THAT(some->faults, IsEmpty());
  EXPECT_EQ(some->first, all->verified + 1);
  EXPECT_LT(some->objects, all->objects / 2);
  EXPECT_EQ(some->last, all->last);
  EXPECT_EQ(some->snapshots, 1U) << "the one that it begins with";
}

// A mark that is gone costs a verification more, and the newest of the records that no later
// object follows was never there, as far as anybody can know.
bool MayGoUnnoticed(const std::string& name, const std::string& newest) {
  return name.contains("/verified/") || name == newest;
}

TEST_F(VerifyArchiveTest, EveryPlantedDamageIsTold) {
  const auto sound = rig_.objects.objects;
  const std::string newest = NameOf(rig_.lineage(), rig_.Listed().records.rbegin()->first);
  std::mt19937 random(3);
  int planted = 0;
  for (const auto& [name, bytes] : sound) {
    for (int kind = 0; kind < 30; ++kind) {
      rig_.objects.objects = sound;
      std::string& there = rig_.objects.objects.at(name);
      if (kind == 0) {
        if (MayGoUnnoticed(name, newest)) continue;
        rig_.objects.objects.erase(name);
      } else if (kind == 1) {
        there.clear();
      } else if (kind == 2) {
        there += "x";
      } else if (kind == 3) {
        auto other = std::next(sound.begin(), static_cast<long>(random() % sound.size()));
        if (other->first == name) continue;
        there = other->second;
      } else if (kind == 4) {
        there.resize(random() % there.size());
      } else {
        there[random() % there.size()] ^= static_cast<char>(1 << (random() % 8));
      }
      ++planted;
      EXPECT_THAT(rig_.Faults(), Not(IsEmpty())) << name << ", damage " << kind;
    }
  }
  EXPECT_GE(planted, 1'000);
}

TEST_F(VerifyArchiveTest, EveryGapIsNamed) {
  const auto sound = rig_.objects.objects;
  const LineageObjects listed = rig_.Listed();
  for (auto at = listed.records.begin(); std::next(at) != listed.records.end(); ++at) {
    rig_.objects.objects = sound;
    rig_.objects.objects.erase(at->second.name);
    EXPECT_THAT(rig_.Faults(),
                Contains(HasSubstr("records " + std::to_string(at->first.first) + " to ")));
  }
}

// An upload without an answer is repeated with what has come meanwhile.
TEST_F(VerifyArchiveTest, OverlappingObjectsAreFoldedThrough) {
  const LineageObjects listed = rig_.Listed();
  auto at = std::next(listed.records.begin(), 4);
  ArchivedRecords both = *rig_.archive.Records(at->first, at->second);
  const ArchivedRecords next = *rig_.archive.Records(std::next(at)->first, std::next(at)->second);
  both.records.insert(both.records.end(), next.records.begin(), next.records.end());
  ASSERT_TRUE(rig_.archive.PutRecords(rig_.lineage(), both));
  rig_.objects.objects.erase(std::next(at)->second.name);
  const auto report = VerifyArchive(rig_.archive, {});
  EXPECT_THAT(report->faults, IsEmpty());
  EXPECT_EQ(report->snapshots, 5U);
  AStateThatTheRecordsDoNotLeadTo();
}

TEST_F(VerifyArchiveTest, AStateThatTheRecordsDoNotLeadToIsTold) {
  AStateThatTheRecordsDoNotLeadTo();
}

TEST_F(VerifyArchiveTest, ARecordThatCannotBeAppliedIsNoSoundWay) {
  EXPECT_GT(VerifyArchive(rig_.archive, {})->verified, 0U);
  const RecordsName newest = rig_.Listed().records.rbegin()->first;
  ArchivedRecords garbage;
  garbage.first = newest.last + 1;
  garbage.chain_before = newest.chain_after;
  garbage.records = {"no record"};
  ASSERT_TRUE(rig_.archive.PutRecords(rig_.lineage(), garbage));
  const auto report = VerifyArchive(rig_.archive, {});
  EXPECT_THAT(report->faults, Contains(HasSubstr("record " + std::to_string(garbage.first))));
  EXPECT_EQ(report->verified, 0U) << "nothing may be deleted for its sake";
}

TEST_F(VerifyArchiveTest, WhatIsRestoredIsVerifiedWhateverIsDamagedBefore) {
  const LineageObjects listed = rig_.Listed();
  rig_.objects.objects.at(listed.records.begin()->second.name)[20] ^= 1;
  auto report = VerifyArchive(rig_.archive, {});
  EXPECT_THAT(report->faults, Not(IsEmpty()));
  EXPECT_EQ(report->verified, listed.snapshots.rbegin()->first.sequence);
  rig_.objects.objects.at(listed.records.rbegin()->second.name)[20] ^= 1;
  report = VerifyArchive(rig_.archive, {});
  EXPECT_EQ(report->verified, 0U);
}

TEST_F(VerifyArchiveTest, OneOfSeveralLineagesIsNamed) {
  const uint64_t other = rig_.lineage() + 1;
  ASSERT_TRUE(rig_.archive.Put(NameOf(other, SnapshotName{5, 1}), EncodeState(State{})));
  EXPECT_EQ(VerifyArchive(rig_.archive, {}).error().code, ErrorCode::kConflict);
  EXPECT_EQ(VerifyArchive(rig_.archive, {.lineage = rig_.lineage()})->lineage, rig_.lineage());
  ASSERT_TRUE(ClaimLineage(rig_.archive, other, "at noon"));
  EXPECT_EQ(VerifyArchive(rig_.archive, {})->lineage, rig_.lineage());
}

TEST_F(VerifyArchiveTest, AStoreThatIsAwayIsNoDamage) {
  rig_.objects.is_away = true;
  EXPECT_EQ(VerifyArchive(rig_.archive, {}).error().code, ErrorCode::kUnavailable);
}

TEST_F(VerifyArchiveTest, AnotherKeyOpensNothing) {
  SealedArchive other(rig_.objects, std::string(32, 'x'));
  const auto report = VerifyArchive(other, {});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->faults.size(), rig_.objects.objects.size());
}

TEST_F(VerifyArchiveTest, WithoutAnArchiveThereIsNothingToVerify) {
  rig_.objects.objects.clear();
  EXPECT_EQ(VerifyArchive(rig_.archive, {}).error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace gp
