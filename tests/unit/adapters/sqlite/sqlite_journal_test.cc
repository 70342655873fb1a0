#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "tests/support/append_to.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

namespace gp {
namespace {

class SqliteJournalTest : public testing::Test {
 protected:
  SqliteJournalTest() {
    char name[] = "/tmp/journal-test-XXXXXX";
    directory_ = mkdtemp(name);
    path_ = directory_ + "/journal.db";
  }
  ~SqliteJournalTest() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<SqliteJournal> Open() {
    auto journal = SqliteJournal::Open(path_);
    EXPECT_TRUE(journal) << (journal ? "" : journal.error().message);
    return journal ? *std::move(journal) : nullptr;
  }

  static std::vector<std::string> Read(Journal& journal, uint64_t after, Status* status = nullptr) {
    std::vector<std::string> records;
    const Status read =
        journal.ReadAfter(after, [&](uint64_t sequence, std::string_view bytes) -> Status {
          EXPECT_EQ(sequence, after + records.size() + 1);
          records.emplace_back(bytes);
          return Ok();
        });
    if (status != nullptr) *status = read;
    return records;
  }

  // Changes the file behind the journal's back.
  void Damage(const std::string& sql) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    char* error = nullptr;
    ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK) << error;
    sqlite3_close(database);
  }

  std::string directory_;
  std::string path_;
};

TEST_F(SqliteJournalTest, TakesNoRecordOfADeposedController) {
  auto journal = Open();
  const std::string record[] = {"a"};
  EXPECT_EQ(journal->Append(2, 0, record).end, AppendEnd::kDurable);
  const Appended earlier = journal->Append(1, 1, record);
  EXPECT_EQ(earlier.end, AppendEnd::kDeposed);
  EXPECT_EQ(earlier.why, "journal: epoch 2 has begun, and 1 is over");
  const Appended elsewhere = journal->Append(2, 0, record);
  EXPECT_EQ(elsewhere.end, AppendEnd::kDeposed);
  EXPECT_EQ(elsewhere.why, "journal: it ends with record 1, not 0: another controller has written");
  EXPECT_EQ(journal->Append(2, 2, record).end, AppendEnd::kDeposed) << "a record is missing";
  EXPECT_EQ(Read(*journal, 0), std::vector<std::string>{"a"});
  EXPECT_EQ(journal->Append(3, 1, record).end, AppendEnd::kDurable);
}

TEST_F(SqliteJournalTest, KeepsRecordsInOrderAcrossOpenings) {
  {
    auto journal = Open();
    const std::string first[] = {"a", std::string("b\0c", 3)};
    ASSERT_TRUE(AppendTo(*journal, first));
    const std::string second[] = {std::string(100'000, 'x')};
    ASSERT_TRUE(AppendTo(*journal, second));
    EXPECT_EQ(journal->LastSequence(), 3u);
  }
  auto journal = Open();
  EXPECT_EQ(journal->LastSequence(), 3u);
  EXPECT_EQ(Read(*journal, 0),
            (std::vector<std::string>{"a", std::string("b\0c", 3), std::string(100'000, 'x')}));
  EXPECT_EQ(Read(*journal, 2).size(), 1u);
}

// As after a power cut: both files as they are while the journal is open.
TEST_F(SqliteJournalTest, RoomReservedInTheLogHoldsNoRecords) {
  const std::string copy = directory_ + "/copy.db";
  auto journal = Open();
  const std::string records[] = {"a", "b"};
  ASSERT_TRUE(AppendTo(*journal, records));
  EXPECT_GE(std::filesystem::file_size(path_ + "-wal"), 16'000'000U);
  for (const std::string suffix : {"", "-wal"})
    std::filesystem::copy_file(path_ + suffix, copy + suffix);
  ASSERT_TRUE(AppendTo(*journal, records));
  EXPECT_GE(std::filesystem::file_size(path_ + "-wal"), 16'000'000U);
  path_ = copy;
  auto cut = Open();
  EXPECT_EQ(Read(*cut, 0), (std::vector<std::string>{"a", "b"}));
}

TEST_F(SqliteJournalTest, SnapshotsAreReadBackAndRecordsGoOnBehindThem) {
  {
    auto journal = Open();
    EXPECT_EQ(journal->LatestSnapshot()->sequence, 0u);
    const std::string records[] = {"a", "b"};
    ASSERT_TRUE(AppendTo(*journal, records));
    ASSERT_TRUE(journal->SaveSnapshot({2, "state"}));
    const std::string more[] = {"c"};
    ASSERT_TRUE(AppendTo(*journal, more));
  }
  auto journal = Open();
  EXPECT_EQ(journal->LatestSnapshot()->sequence, 2u);
  EXPECT_EQ(journal->LatestSnapshot()->bytes, "state");
  EXPECT_EQ(Read(*journal, 2), std::vector<std::string>{"c"});
}

TEST_F(SqliteJournalTest, GoesOnBehindASnapshotThatWasMadeElsewhere) {
  {
    auto journal = Open();
    const std::string before[] = {"a", "b"};
    ASSERT_TRUE(AppendTo(*journal, before));
    EXPECT_EQ(journal->GoOnAfter({2, "known"}).error().code, ErrorCode::kConflict);
    ASSERT_TRUE(journal->GoOnAfter({7, "state"}));
    EXPECT_EQ(journal->LastSequence(), 7u);
    const std::string after[] = {"h", "i"};
    ASSERT_TRUE(AppendTo(*journal, after));
  }
  auto journal = Open();
  EXPECT_EQ(journal->loss(), "");
  EXPECT_EQ(journal->LastSequence(), 9u);
  EXPECT_EQ(journal->LatestSnapshot()->bytes, "state");
  EXPECT_EQ(Read(*journal, 7), (std::vector<std::string>{"h", "i"}));
  Status whole;
  EXPECT_EQ(Read(*journal, 0, &whole), (std::vector<std::string>{"a", "b"}));
  EXPECT_NE(whole.error().message.find("record 3 is missing"), std::string::npos)
      << whole.error().message;
}

// Until there is nothing left to sweep; the number of steps.
int SweepAll(Journal& journal) {
  int steps = 1;
  while (journal.Sweep().value()) ++steps;
  return steps;
}

TEST_F(SqliteJournalTest, DropsWhatASnapshotStandsForAndGoesOn) {
  {
    auto journal = Open();
    const std::string records[] = {"a", "b", "c", "d", "e", "f"};
    ASSERT_TRUE(AppendTo(*journal, records));
    for (const uint64_t sequence : {2, 4, 6})
      ASSERT_TRUE(journal->SaveSnapshot({sequence, "state " + std::to_string(sequence)}));
    EXPECT_EQ(journal->BaseNumber().value(), 0u);
    EXPECT_EQ(journal->Base()->sequence, 0u);
    EXPECT_EQ(*journal->Snapshots(), (std::vector<uint64_t>{2, 4, 6}));
    EXPECT_EQ(SweepAll(*journal), 1) << "nothing was dropped";
    ASSERT_TRUE(journal->BeginWith(4));
    EXPECT_EQ(journal->BeginWith(2).error().code, ErrorCode::kConflict)
        << "what was dropped does not come back";
    const std::string more[] = {"g"};
    ASSERT_TRUE(AppendTo(*journal, more));
  }
  for (const bool is_swept : {false, true}) {
    auto journal = Open();
    EXPECT_EQ(journal->loss(), "");
    EXPECT_EQ(*journal->Snapshots(), (std::vector<uint64_t>{4, 6}));
    EXPECT_EQ(journal->BaseNumber().value(), 4u);
    EXPECT_EQ(journal->Base()->bytes, "state 4");
    EXPECT_EQ(Read(*journal, 4), (std::vector<std::string>{"e", "f", "g"}));
    EXPECT_EQ(Read(*journal, 3), (std::vector<std::string>{"d", "e", "f", "g"}))
        << "its own record stays, which has its time";
    EXPECT_EQ(journal->KeepSoundPrefix().value(), 7u) << "nothing is damaged";
    if (is_swept) continue;
    EXPECT_GT(SweepAll(*journal), 1);
  }
  Status whole;
  EXPECT_TRUE(Read(*Open(), 0, &whole).empty());
  EXPECT_NE(whole.error().message.find("record 1 is missing"), std::string::npos)
      << whole.error().message;
}

TEST_F(SqliteJournalTest, SweepsALittleAtATime) {
  auto journal = Open();
  ASSERT_TRUE(AppendTo(*journal, std::vector<std::string>(3'500, "small")));
  ASSERT_TRUE(AppendTo(*journal, std::vector<std::string>(10, std::string(300 << 10, 'x'))));
  ASSERT_TRUE(journal->SaveSnapshot({3'510, "state"}));
  ASSERT_TRUE(journal->BeginWith(3'510));
  EXPECT_EQ(SweepAll(*journal), 8) << "a thousand small ones, or two large ones, in each step";
  EXPECT_EQ(Read(*journal, 3'509).size(), 1u);
  EXPECT_TRUE(Read(*journal, 3'508).empty());
}

TEST_F(SqliteJournalTest, BeginsWithAWholeSnapshotOnly) {
  {
    auto journal = Open();
    const std::string records[] = {"a", "b", "c", "d"};
    ASSERT_TRUE(AppendTo(*journal, records));
    for (const uint64_t sequence : {2, 4}) ASSERT_TRUE(journal->SaveSnapshot({sequence, "state"}));
    EXPECT_EQ(journal->BeginWith(3).error().code, ErrorCode::kConflict);
  }
  Damage("UPDATE snapshots SET bytes='stale' WHERE sequence=2");
  auto journal = Open();
  EXPECT_EQ(journal->BeginWith(2).error().code, ErrorCode::kConflict);
  EXPECT_EQ(journal->BaseNumber().value(), 0u);
  EXPECT_EQ(SweepAll(*journal), 1);
  EXPECT_EQ(Read(*journal, 0).size(), 4u);
}

TEST_F(SqliteJournalTest, TheBaseIsNoSnapshotThatCanBeDropped) {
  auto journal = Open();
  const std::string records[] = {"a", "b", "c"};
  ASSERT_TRUE(AppendTo(*journal, records));
  for (const uint64_t sequence : {1, 2, 3}) ASSERT_TRUE(journal->SaveSnapshot({sequence, "state"}));
  ASSERT_TRUE(journal->BeginWith(1));
  const uint64_t all[] = {1, 2};
  ASSERT_TRUE(journal->DropSnapshots(all));
  EXPECT_EQ(*journal->Snapshots(), (std::vector<uint64_t>{1, 3}));
}

TEST_F(SqliteJournalTest, KeepsItsBeginningWhenItsEndIsGivenUp) {
  {
    auto journal = Open();
    const std::string records[] = {"a", "b", "c", "d", "e"};
    ASSERT_TRUE(AppendTo(*journal, records));
    for (const uint64_t sequence : {2, 5}) ASSERT_TRUE(journal->SaveSnapshot({sequence, "state"}));
    ASSERT_TRUE(journal->BeginWith(2));
    SweepAll(*journal);
  }
  Damage("UPDATE records SET bytes='E' WHERE sequence=5");
  Damage("UPDATE snapshots SET bytes='stale' WHERE sequence=5");
  EXPECT_EQ(Open()->KeepSoundPrefix().value(), 4u);
  auto journal = Open();
  EXPECT_EQ(journal->Base()->sequence, 2u);
  EXPECT_EQ(Read(*journal, 2), (std::vector<std::string>{"c", "d"}));
}

TEST_F(SqliteJournalTest, GivesUpNothingWhereAllFollowsFromWhatIsLost) {
  {
    auto journal = Open();
    const std::string records[] = {"a", "b", "c"};
    ASSERT_TRUE(AppendTo(*journal, records));
    ASSERT_TRUE(journal->SaveSnapshot({2, "state"}));
    ASSERT_TRUE(journal->BeginWith(2));
    SweepAll(*journal);
  }
  Damage("UPDATE snapshots SET bytes='stale'");
  auto journal = Open();
  EXPECT_FALSE(journal->Base());
  const auto kept = journal->KeepSoundPrefix();
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.error().message.find("no whole snapshot stands for them"), std::string::npos)
      << kept.error().message;
  EXPECT_EQ(Read(*journal, 2).size(), 1u) << "it is as it was";
}

TEST_F(SqliteJournalTest, RecordsThatAreLostWereNotDropped) {
  {
    auto journal = Open();
    const std::string records[] = {"a", "b", "c"};
    ASSERT_TRUE(AppendTo(*journal, records));
    ASSERT_TRUE(journal->SaveSnapshot({2, "state"}));
  }
  Damage("DELETE FROM records WHERE sequence=1");
  auto journal = Open();
  EXPECT_EQ(journal->BaseNumber().value(), 0u);
  EXPECT_EQ(SweepAll(*journal), 1);
  EXPECT_EQ(Read(*journal, 1).size(), 2u);
}

TEST_F(SqliteJournalTest, ABaseThatIsDamagedSweepsNothing) {
  {
    auto journal = Open();
    const std::string records[] = {"a", "b", "c"};
    ASSERT_TRUE(AppendTo(*journal, records));
    for (const uint64_t sequence : {1, 3}) ASSERT_TRUE(journal->SaveSnapshot({sequence, "state"}));
    ASSERT_TRUE(journal->BeginWith(1));
  }
  Damage("UPDATE base SET sequence=3");
  auto journal = Open();
  EXPECT_FALSE(journal->BaseNumber());
  EXPECT_FALSE(journal->Sweep());
  EXPECT_EQ(Read(*journal, 0).size(), 3u);
  EXPECT_EQ(journal->KeepSoundPrefix().value(), 3u) << "nothing else is damaged";
  EXPECT_EQ(journal->loss(), "");
  EXPECT_EQ(journal->Base()->sequence, 3u) << "by the newest snapshot it begins for certain";
  const std::string more[] = {"d"};
  ASSERT_TRUE(AppendTo(*journal, more));
  EXPECT_EQ(Read(*journal, 3), std::vector<std::string>{"d"});
}

TEST_F(SqliteJournalTest, SweepsNoSnapshotThatIsTheLastWholeOne) {
  {
    auto journal = Open();
    const std::string records[] = {"a", "b", "c"};
    ASSERT_TRUE(AppendTo(*journal, records));
    for (const uint64_t sequence : {1, 2, 3})
      ASSERT_TRUE(journal->SaveSnapshot({sequence, "state"}));
    ASSERT_TRUE(journal->BeginWith(2));
  }
  Damage("UPDATE snapshots SET bytes='stale' WHERE sequence>1");
  auto journal = Open();
  EXPECT_FALSE(journal->Sweep());
  EXPECT_EQ(journal->LatestSnapshot()->sequence, 1u);
}

TEST_F(SqliteJournalTest, ADamagedSnapshotFallsBackToTheOneBefore) {
  {
    auto journal = Open();
    const std::string records[] = {"a", "b"};
    ASSERT_TRUE(AppendTo(*journal, records));
    ASSERT_TRUE(journal->SaveSnapshot({1, "older"}));
    ASSERT_TRUE(journal->SaveSnapshot({2, "newer"}));
  }
  Damage("UPDATE snapshots SET bytes='nEwer' WHERE sequence=2");
  EXPECT_EQ(Open()->LatestSnapshot()->bytes, "older");
}

TEST_F(SqliteJournalTest, EveryKindOfDamageIsFoundAndThePrefixIsSound) {
  {
    auto journal = Open();
    const std::string records[] = {"one", "two", "three", "four"};
    ASSERT_TRUE(AppendTo(*journal, records));
  }
  const auto expect_prefix = [&](const char* sql, size_t sound, const char* words) {
    const std::string copy = directory_ + "/copy.db";
    std::filesystem::copy_file(path_, copy, std::filesystem::copy_options::overwrite_existing);
    Damage(sql);
    Status status = Ok();
    EXPECT_EQ(Read(*Open(), 0, &status).size(), sound) << sql;
    ASSERT_FALSE(status) << sql;
    EXPECT_NE(status.error().message.find(words), std::string::npos) << status.error().message;
    std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
  };
  expect_prefix("UPDATE records SET bytes='thrEe' WHERE sequence=3", 2, "record 3 is damaged");
  expect_prefix("DELETE FROM records WHERE sequence=2", 1, "record 2 is missing");
  expect_prefix("UPDATE records SET chain=chain+1 WHERE sequence=2", 1, "record 2 does not follow");
  // A record replaced whole, checksum and all, still does not follow its predecessor.
  expect_prefix(
      "UPDATE records SET bytes=(SELECT bytes FROM records WHERE sequence=4),"
      "crc=(SELECT crc FROM records WHERE sequence=4) WHERE sequence=3",
      2, "record 3 does not follow");
}

TEST_F(SqliteJournalTest, AnOldCopyPutBackIsKnownByTheMark) {
  const std::string records[] = {"a", "b"};
  ASSERT_TRUE(AppendTo(*Open(), records));
  const std::string copy = directory_ + "/copy.db";
  std::filesystem::copy_file(path_, copy);
  {
    auto journal = Open();
    EXPECT_EQ(journal->loss(), "");
    ASSERT_TRUE(AppendTo(*journal, records));
  }
  std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
  EXPECT_NE(Open()->loss().find("records 3 to 4"), std::string::npos);
  EXPECT_NE(Open()->loss(), "");  // nobody has drawn the conclusion yet
  ASSERT_TRUE(Open()->AcceptLoss());
  EXPECT_EQ(Open()->loss(), "");
}

TEST_F(SqliteJournalTest, ACutIsKnownUntilItIsAccepted) {
  const std::string records[] = {"one", "two", "three", "four"};
  ASSERT_TRUE(AppendTo(*Open(), records));
  Damage("UPDATE records SET bytes='thrEe' WHERE sequence=3");
  EXPECT_EQ(Open()->KeepSoundPrefix().value(), 2u);
  EXPECT_NE(Open()->loss().find("records 3 to 4"), std::string::npos);
}

TEST_F(SqliteJournalTest, TheSoundPrefixCanBeKeptAndGoesOn) {
  {
    auto journal = Open();
    const std::string records[] = {"one", "two", "three", "four"};
    ASSERT_TRUE(AppendTo(*journal, records));
    EXPECT_EQ(journal->KeepSoundPrefix().value(), 4u);  // nothing is damaged: nothing is given up
  }
  Damage("UPDATE records SET bytes='thrEe' WHERE sequence=3");
  {
    auto journal = Open();
    EXPECT_EQ(journal->KeepSoundPrefix().value(), 2u);
    const std::string more[] = {"five"};
    ASSERT_TRUE(AppendTo(*journal, more));
  }
  EXPECT_TRUE(std::filesystem::exists(path_ + ".damaged"));
  Status status = Ok();
  EXPECT_EQ(Read(*Open(), 0, &status), (std::vector<std::string>{"one", "two", "five"}));
  EXPECT_TRUE(status);
}

TEST_F(SqliteJournalTest, OnlyOneControllerAtATime) {
  auto first = Open();
  const std::string records[] = {"a"};
  ASSERT_TRUE(AppendTo(*first, records));
  const auto second = SqliteJournal::Open(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
}

TEST_F(SqliteJournalTest, TheLockIsHeldBeforeAnythingIsAppended) {
  Open();  // so that there is nothing to create
  auto first = Open();
  const auto second = SqliteJournal::Open(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
}

TEST_F(SqliteJournalTest, TheLossOfTheLastRecordAloneIsTold) {
  const std::string records[] = {"a", "b", "c"};
  ASSERT_TRUE(AppendTo(*Open(), records));
  Damage("DELETE FROM records WHERE sequence=3");
  EXPECT_NE(Open()->loss().find("records 3 to 3"), std::string::npos);
}

// Its numbers are guarded like its bytes: a state must not be taken for that of another record.
TEST_F(SqliteJournalTest, ASnapshotThatClaimsAnotherPlaceIsPassedOver) {
  {
    auto journal = Open();
    const std::string records[] = {"a", "b"};
    ASSERT_TRUE(AppendTo(*journal, records));
    ASSERT_TRUE(journal->SaveSnapshot({2, "state"}));
  }
  for (const char* sql :
       {"UPDATE snapshots SET sequence=3", "UPDATE snapshots SET sequence=2, chain=chain+1"}) {
    Damage(sql);
    EXPECT_EQ(Open()->LatestSnapshot()->sequence, 0U) << sql;
    EXPECT_EQ(Open()->LastSequence(), 2U) << sql;
  }
}

TEST_F(SqliteJournalTest, AJournalWithoutItsTablesIsDamagedAndNotNew) {
  const std::string records[] = {"a"};
  ASSERT_TRUE(AppendTo(*Open(), records));
  Damage("ALTER TABLE records RENAME TO recorcs");
  const auto journal = SqliteJournal::Open(path_);
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message.find(path_), std::string::npos);
  EXPECT_NE(journal.error().message.find("no such table"), std::string::npos);
}

TEST_F(SqliteJournalTest, WhatIsSoundIsKeptEvenFromDamagedPages) {
  {
    auto journal = Open();
    for (int i = 0; i < 40; ++i) {
      const std::string record[] = {std::string(1'000, static_cast<char>('A' + i))};
      ASSERT_TRUE(AppendTo(*journal, record));
    }
  }
  {  // a page in the middle of the records
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(7 * 4'096);
    file << std::string(4'096, 'x');
  }
  const uint64_t kept = Open()->KeepSoundPrefix().value();
  EXPECT_GT(kept, 5U);
  EXPECT_LT(kept, 40U);
  auto journal = Open();
  EXPECT_EQ(Read(*journal, 0).size(), kept);
  EXPECT_NE(journal->loss(), "");
  EXPECT_EQ(std::filesystem::file_size(path_ + ".damaged") % 4'096, 0U);
  const std::string more[] = {"more"};
  EXPECT_TRUE(AppendTo(*journal, more));
}

// All records are read in order, and yet a new one would be put where nobody finds it.
TEST_F(SqliteJournalTest, AKeyThatWouldLeadNewRecordsAstrayIsNoticed) {
  {
    auto journal = Open();
    for (int i = 0; i < 400; ++i) {
      const std::string record[] = {std::string(100, static_cast<char>('A' + i % 26))};
      ASSERT_TRUE(AppendTo(*journal, record));
    }
  }
  {
    // The root of the records is page 2: its last cell is the way to the last page but one.
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    std::string page(4'096, '\0');
    file.seekg(4'096);
    file.read(page.data(), 4'096);
    const auto number = [&](size_t at) {
      return static_cast<size_t>(static_cast<uint8_t>(page[at])) << 8 |
             static_cast<uint8_t>(page[at + 1]);
    };
    ASSERT_EQ(page[0], 5) << "an inner page";
    const size_t key = number(12 + 2 * (number(3) - 1)) + 4;
    ASSERT_NE(page[key] & 0x80, 0) << "a key of two bytes";
    file.seekp(static_cast<std::streamoff>(4'096 + key));
    file.put(static_cast<char>(page[key] | 0x40));
  }
  auto journal = Open();
  Status status = Ok();
  EXPECT_EQ(Read(*journal, 0, &status).size(), 400U);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("record 400 cannot be found"), std::string::npos);
  EXPECT_EQ(journal->KeepSoundPrefix().value(), 400U);
  const std::string more[] = {"more"};
  ASSERT_TRUE(AppendTo(*journal, more));
  journal.reset();
  EXPECT_EQ(Open()->LastSequence(), 401U);
}

TEST_F(SqliteJournalTest, AnotherFileIsRefused) {
  Damage("PRAGMA application_id=1; CREATE TABLE t(x)");
  const auto journal = SqliteJournal::Open(path_);
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message.find("not a gpu-platform journal"), std::string::npos);
}

TEST_F(SqliteJournalTest, ADirectoryThatIsNotThereIsNamed) {
  const auto journal = SqliteJournal::Open("/nonexistent/journal.db");
  ASSERT_FALSE(journal);
  EXPECT_NE(journal.error().message.find("/nonexistent"), std::string::npos);
}

}  // namespace
}  // namespace gp
