// Where a journal begins: with record 1, or behind a snapshot that stands for records that were dropped, or that could not
// be copied.

#include <algorithm>

#include "adapters/outbound/sqlite/journal_rows.h"
#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "adapters/outbound/sqlite/sqlite_statement.h"

namespace gp {
namespace {

constexpr uint64_t kDroppedAtOnce = 100'000;  // 0.15 s, in which nobody is answered

}  // namespace

Status SqliteJournal::GoOnAfter(const Snapshot& snapshot) {
  if (snapshot.sequence <= last_sequence_) return Fail(Conflict("journal " + path_ + ": has record " + std::to_string(snapshot.sequence) + " already"));
  constexpr uint64_t kFirstChain = 0;
  GP_CHECK_OK(InOneTransaction("go on", [&] { return InsertSnapshot(snapshot, kFirstChain); }));
  GP_CHECK_OK(LoadTail());
  return mark_.Raise(last_sequence_);
}

// 0: there is none.
Result<uint64_t> SqliteJournal::FirstRecord() {
  Statement first(database_, "SELECT sequence FROM records ORDER BY sequence LIMIT 1");
  const int step = first.Step();
  if (step != SQLITE_ROW && step != SQLITE_DONE) return Fail(Failed("read the first record"));
  return step == SQLITE_ROW ? first.Number(0) : 0;
}

Result<Snapshot> SqliteJournal::Base() {
  const uint64_t first = GP_TRY(FirstRecord());
  if (first == 1) return Snapshot{};
  if (first == 0) return LatestSnapshot();
  Statement all(database_, "SELECT sequence, chain, crc, bytes FROM snapshots WHERE sequence>=? ORDER BY sequence");
  all.Bind(1, first - 1);
  while (all.Step() == SQLITE_ROW) {
    if (all.Number(2) == SnapshotCrc(all.Number(0), all.Number(1), all.Bytes(3))) return Snapshot{all.Number(0), std::string(all.Bytes(3))};
  }
  return Fail(Damaged(1, "is missing, and no snapshot stands for it"));
}

Result<std::vector<uint64_t>> SqliteJournal::Snapshots() {
  std::vector<uint64_t> sequences;
  Statement all(database_, "SELECT sequence FROM snapshots ORDER BY sequence");
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
  return step == SQLITE_ROW && one.Number(2) == SnapshotCrc(one.Number(0), one.Number(1), one.Bytes(3));
}

Status SqliteJournal::Drop(std::span<const uint64_t> snapshots, uint64_t first_kept) {
  const bool stays = first_kept == 0 || (std::ranges::find(snapshots, first_kept) == snapshots.end() && GP_TRY(HasWholeSnapshot(first_kept)));
  if (!stays) return Fail(Conflict("journal " + path_ + ": no whole snapshot of record " + std::to_string(first_kept) + " would stay: nothing was dropped"));
  const uint64_t until = std::min(first_kept, GP_TRY(FirstRecord()) + kDroppedAtOnce);
  return InOneTransaction("drop", [&]() -> Status {
    for (const uint64_t sequence : snapshots) GP_CHECK_OK(Delete("DELETE FROM snapshots WHERE sequence=?", sequence));
    return Delete("DELETE FROM records WHERE sequence<?", until);
  });
}

Status SqliteJournal::Delete(const char* sql, uint64_t sequence) {
  Statement remove(database_, sql);
  remove.Bind(1, sequence);
  return remove.Step() == SQLITE_DONE ? Ok() : Fail(Failed("drop"));
}

}  // namespace gp
