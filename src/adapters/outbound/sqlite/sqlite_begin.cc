// Where a journal begins: with record 1, or after a snapshot that replaces records that were
// dropped, or that could not be copied.

#include <algorithm>

#include "adapters/outbound/sqlite/journal_rows.h"
#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "adapters/outbound/sqlite/sqlite_statement.h"
#include "base/ignore_result.h"

namespace gp {
namespace {

// Limits of one sweep step, whichever is reached first.  The cost of large records is in their
// pages, each of which is read.
constexpr uint64_t kSweptRecords = 1'000;
constexpr uint64_t kSweptBytes = 512 << 10;

}  // namespace

Status SqliteJournal::GoOnAfter(const Snapshot& snapshot) {
  if (snapshot.sequence <= last_sequence_)
    return Fail(Conflict("journal " + path_ + ": has record " + std::to_string(snapshot.sequence) +
                         " already"));
  constexpr uint64_t kFirstChain = 0;
  GP_CHECK_OK(InOneTransaction("go on", [&]() -> Status {
    GP_CHECK_OK(InsertSnapshot(snapshot, kFirstChain));
    return last_sequence_ == 0 ? WriteBase(database_, snapshot.sequence) : Ok();
  }));
  GP_CHECK_OK(LoadTail());
  return mark_.Raise(last_sequence_);
}

Result<uint64_t> SqliteJournal::BaseNumber() {
  Statement table(database_, "SELECT count(*) FROM sqlite_schema WHERE name='base'");
  if (table.Step() != SQLITE_ROW) return Fail(Failed("read where it begins"));
  if (table.Number(0) == 0) return 0;
  Statement base(database_, "SELECT sequence, crc FROM base");
  if (base.Step() == SQLITE_ROW && base.Number(1) == BaseCrc(base.Number(0))) return base.Number(0);
  return Fail(Internal("journal " + path_ +
                       ": where it begins is damaged (docs/operations.md, \"A damaged journal\")"));
}

Status SqliteJournal::WriteBase(sqlite3* database, uint64_t sequence) {
  const std::string values = std::to_string(sequence) + "," + std::to_string(BaseCrc(sequence));
  const std::string sql =
      kBaseSchema + ("DELETE FROM base; INSERT INTO base VALUES(" + values + ")");
  if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return Ok();
  return Fail(
      Internal("journal " + path_ + ": write where it begins: " + sqlite3_errmsg(database)));
}

Result<Snapshot> SqliteJournal::Base() {
  const uint64_t number = GP_TRY(BaseNumber());
  if (number == 0) return Snapshot{};
  Statement all(
      database_,
      "SELECT sequence, chain, crc, bytes FROM snapshots WHERE sequence>=? ORDER BY sequence");
  all.Bind(1, number);
  while (all.Step() == SQLITE_ROW) {
    if (all.Number(2) == SnapshotCrc(all.Number(0), all.Number(1), all.Bytes(3)))
      return Snapshot{all.Number(0), std::string(all.Bytes(3))};
  }
  return Fail(Internal("journal " + path_ + ": records before " + std::to_string(number) +
                       " were dropped, and no whole snapshot stands for them (docs/operations.md, "
                       "\"A damaged journal\")"));
}

Result<std::vector<uint64_t>> SqliteJournal::Snapshots() {
  std::vector<uint64_t> sequences;
  Statement all(database_, "SELECT sequence FROM snapshots WHERE sequence>=? ORDER BY sequence");
  all.Bind(1, GP_TRY(BaseNumber()));
  int step = SQLITE_DONE;
  while ((step = all.Step()) == SQLITE_ROW) sequences.push_back(all.Number(0));
  if (step != SQLITE_DONE) return Fail(Failed("read the snapshots"));
  return sequences;
}

Result<bool> SqliteJournal::HasWholeSnapshot(uint64_t sequence) {
  Statement one(database_, "SELECT sequence, chain, crc, bytes FROM snapshots WHERE sequence=?");
  one.Bind(1, sequence);
  const int step = one.Step();
  if (step != SQLITE_ROW && step != SQLITE_DONE) return Fail(Failed("read a snapshot"));
  return step == SQLITE_ROW &&
         one.Number(2) == SnapshotCrc(one.Number(0), one.Number(1), one.Bytes(3));
}

Status SqliteJournal::BeginWith(uint64_t snapshot) {
  if (snapshot < GP_TRY(BaseNumber()) || !GP_TRY(HasWholeSnapshot(snapshot))) {
    return Fail(Conflict("journal " + path_ + ": no whole snapshot of record " +
                         std::to_string(snapshot) + " is there to begin with"));
  }
  return InOneTransaction("begin with a snapshot", [&] { return WriteBase(database_, snapshot); });
}

Status SqliteJournal::DropSnapshots(std::span<const uint64_t> snapshots) {
  const uint64_t base = GP_TRY(BaseNumber());
  return InOneTransaction("drop snapshots", [&]() -> Status {
    for (const uint64_t sequence : snapshots) {
      if (sequence != base) GP_CHECK_OK(Delete("DELETE FROM snapshots WHERE sequence=?", sequence));
    }
    return Ok();
  });
}

Result<bool> SqliteJournal::Sweep() {
  const uint64_t base = GP_TRY(BaseNumber());
  if (const uint64_t snapshot = GP_TRY(FirstSnapshotBefore(base)); snapshot != 0) {
    IgnoreResult(GP_TRY(Base()), "a base that can be read is enough");
    GP_CHECK_OK(Delete("DELETE FROM snapshots WHERE sequence=?", snapshot));
    return true;
  }
  const uint64_t last = GP_TRY(LastToSweep(base));
  if (last == 0) return false;
  GP_CHECK_OK(Delete("DELETE FROM records WHERE sequence<=?", last));
  return last + 1 < base;
}

// 0: there is none.
Result<uint64_t> SqliteJournal::FirstSnapshotBefore(uint64_t base) {
  Statement first(database_,
                  "SELECT sequence FROM snapshots WHERE sequence<? ORDER BY sequence LIMIT 1");
  first.Bind(1, base);
  const int step = first.Step();
  if (step != SQLITE_ROW && step != SQLITE_DONE) return Fail(Failed("read the first snapshot"));
  return step == SQLITE_ROW ? first.Number(0) : 0;
}

// The record of the base stays, because it has its time.  0: there is nothing to sweep.
Result<uint64_t> SqliteJournal::LastToSweep(uint64_t base) {
  Statement rows(
      database_,
      "SELECT sequence, length(bytes) FROM records WHERE sequence<? ORDER BY sequence LIMIT ?");
  rows.Bind(1, base);
  rows.Bind(2, kSweptRecords);
  uint64_t last = 0;
  uint64_t bytes = 0;
  int step = SQLITE_DONE;
  while (bytes < kSweptBytes && (step = rows.Step()) == SQLITE_ROW) {
    last = rows.Number(0);
    bytes += rows.Number(1);
  }
  if (step != SQLITE_ROW && step != SQLITE_DONE) return Fail(Failed("read the first records"));
  return last;
}

Status SqliteJournal::Delete(const char* sql, uint64_t sequence) {
  Statement remove(database_, sql);
  remove.Bind(1, sequence);
  return remove.Step() == SQLITE_DONE ? Ok() : Fail(Failed("drop"));
}

}  // namespace gp
