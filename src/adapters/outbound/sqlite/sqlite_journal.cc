#include "adapters/outbound/sqlite/sqlite_journal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "adapters/outbound/sqlite/journal_rows.h"
#include "adapters/outbound/sqlite/log_vfs.h"
#include "adapters/outbound/sqlite/reserve_log.h"
#include "adapters/outbound/sqlite/sqlite_statement.h"
#include "base/digest.h"
#include "base/ignore_result.h"

namespace gp {
namespace {

constexpr int64_t kPageBytes = 4'096;

constexpr const char* kModes =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=FULL;"
    "PRAGMA locking_mode=EXCLUSIVE;"
    "BEGIN IMMEDIATE; COMMIT";  // an empty transaction takes the lock, which then stays

const char* Advice(int code) {
  switch (code) {
    case SQLITE_BUSY: return " (does another controller run on it?)";
    case SQLITE_FULL: return " (make room and start again: nothing that was acknowledged is lost)";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR: return " (damaged? docs/operations.md, \"A damaged journal\")";
    default: return "";
  }
}

}  // namespace

Error SqliteJournal::Failed(const std::string& what) const {
  const int code = sqlite3_errcode(database_) & 0xff;
  std::string message = "journal " + path_ + ": " + what + ": " + sqlite3_errmsg(database_);
  const int system_error = sqlite3_system_errno(database_);
  if (code == SQLITE_IOERR && system_error != 0)
    message += std::string(": ") + std::strerror(system_error);
  message += Advice(code);
  return code == SQLITE_BUSY ? Unavailable(message) : Internal(message);
}

Error SqliteJournal::Damaged(uint64_t sequence, const std::string& how) const {
  return Internal("journal " + path_ + ": record " + std::to_string(sequence) + " " + how +
                  "; all before it is sound");
}

Status SqliteJournal::Run(const char* sql, const char* what) {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    return Fail(Failed(what));
  return Ok();
}

Result<std::unique_ptr<SqliteJournal>> SqliteJournal::Open(const std::string& path,
                                                           int64_t log_pages) {
  // The file contains jobs' environments, so only its owner may read it; SQLite gives the files
  // beside it the same mode.
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  sqlite3* database = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &database,
                      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, LogVfs());
  std::unique_ptr<SqliteJournal> journal(new SqliteJournal(database, path));
  if (code != SQLITE_OK) return Fail(journal->Failed("open"));
  GP_CHECK_OK(journal->Prepare(log_pages));
  GP_CHECK_OK(journal->LoadTail());
  GP_CHECK_OK(journal->mark_.Open());
  journal->CompareMark();
  return journal;
}

Status SqliteJournal::Prepare(int64_t log_pages) {
  sqlite3_busy_timeout(database_, 200);
  GP_CHECK_OK(CheckOrCreate());
  GP_CHECK_OK(Run(("PRAGMA wal_autocheckpoint=" + std::to_string(log_pages)).c_str(), "open"));
  ReserveLog(path_, log_pages * kPageBytes);
  const auto prepare = [&](const char* sql, sqlite3_stmt*& statement) {
    return sqlite3_prepare_v3(database_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) ==
           SQLITE_OK;
  };
  const bool is_prepared = prepare("BEGIN IMMEDIATE", begin_) &&
                           prepare("INSERT INTO records VALUES(?,?,?,?)", insert_) &&
                           prepare("COMMIT", commit_);
  return is_prepared ? Ok() : Fail(Failed("prepare"));
}

// Tables are created only in a new file: a file without table names is damaged, not empty.
Status SqliteJournal::CheckOrCreate() {
  uint64_t id = 0;
  {
    Statement statement(database_, "PRAGMA application_id");
    if (statement.Step() != SQLITE_ROW) return Fail(Failed("open"));
    id = statement.Number(0);
  }
  bool has_tables = false;
  {
    Statement statement(database_, "SELECT count(*) FROM sqlite_schema");
    if (statement.Step() != SQLITE_ROW) return Fail(Failed("open"));
    has_tables = statement.Number(0) > 0;
  }
  const bool is_new = id == 0 && !has_tables;
  if (!is_new && id != kJournalApplicationId)
    return Fail(Internal("journal " + path_ + ": not a gpu-platform journal"));
  GP_CHECK_OK(Run(kModes, "open"));
  return is_new ? Run(kJournalSchema, "create") : Ok();
}

Status SqliteJournal::LoadTail() {
  last_sequence_ = 0;
  last_record_ = 0;
  chain_ = 0;
  Statement tail(database_, "SELECT sequence, chain FROM records ORDER BY sequence DESC LIMIT 1");
  const int step = tail.Step();
  if (step != SQLITE_ROW && step != SQLITE_DONE) return Fail(Failed("read the last record"));
  if (step == SQLITE_ROW) {
    last_sequence_ = last_record_ = tail.Number(0);
    chain_ = tail.Number(1);
  }
  // A snapshot may replace records that are gone.
  Statement newer(
      database_,
      "SELECT sequence, chain, crc, bytes FROM snapshots WHERE sequence>? ORDER BY sequence DESC");
  newer.Bind(1, last_sequence_);
  while (newer.Step() == SQLITE_ROW) {
    if (newer.Number(2) != SnapshotCrc(newer.Number(0), newer.Number(1), newer.Bytes(3))) continue;
    last_sequence_ = newer.Number(0);
    chain_ = newer.Number(1);
    break;
  }
  return Ok();
}

void SqliteJournal::CompareMark() {
  if (mark_.value() <= last_sequence_) return;
  loss_ = "journal " + path_ + ": records " + std::to_string(last_sequence_ + 1) + " to " +
          std::to_string(mark_.value()) +
          " were written once and are gone: work acknowledged then is lost";
}

Status SqliteJournal::AcceptLoss() {
  if (mark_.value() > last_sequence_) GP_CHECK_OK(mark_.Reset(last_sequence_));
  loss_.clear();
  return Ok();
}

SqliteJournal::~SqliteJournal() {
  for (sqlite3_stmt* statement : {begin_, insert_, commit_}) sqlite3_finalize(statement);
  sqlite3_close(database_);
}

Status SqliteJournal::Step(sqlite3_stmt* statement) {
  const int step = sqlite3_step(statement);
  if (step != SQLITE_DONE) {
    const Error error = Failed("append");
    sqlite3_reset(statement);
    return Fail(error);
  }
  sqlite3_reset(statement);
  return Ok();
}

Status SqliteJournal::InsertAll(std::span<const std::string> records, uint64_t& sequence,
                                uint64_t& chain) {
  for (const std::string& record : records) {
    chain = NextChain(chain, record);
    sqlite3_bind_int64(insert_, 1, static_cast<int64_t>(++sequence));
    sqlite3_bind_int64(insert_, 2, static_cast<int64_t>(chain));
    sqlite3_bind_int64(insert_, 3, Crc32c(record));
    sqlite3_bind_blob64(insert_, 4, record.data(), record.size(), SQLITE_STATIC);
    GP_CHECK_OK(Step(insert_));
  }
  return Step(commit_);
}

Appended SqliteJournal::Append(uint64_t epoch, uint64_t expected,
                               std::span<const std::string> records) {
  Appended end = fence_.Check(epoch, expected, last_sequence_);
  if (end.end != AppendEnd::kDurable) return end;
  if (const Status written = Write(records); !written)
    return {AppendEnd::kUnknown, written.error().message};
  return end;
}

Status SqliteJournal::Write(std::span<const std::string> records) {
  GP_CHECK_OK(Step(begin_));
  uint64_t sequence = last_sequence_;
  uint64_t chain = chain_;
  if (const Status written = InsertAll(records, sequence, chain); !written) {
    IgnoreResult(Run("ROLLBACK", "append"), "the first error is reported");
    return written;
  }
  last_sequence_ = last_record_ = sequence;
  chain_ = chain;
  return loss_.empty() ? mark_.Raise(last_sequence_) : Ok();
}

// The chain of the record, from the record or from the snapshot that ends with it; nothing if
// neither exists.
Result<std::optional<uint64_t>> SqliteJournal::ChainAt(uint64_t sequence) {
  if (sequence == 0) return std::optional<uint64_t>(0);
  std::optional<uint64_t> chain;
  Statement both(database_,
                 "SELECT chain FROM snapshots WHERE sequence=?1 UNION ALL SELECT chain FROM "
                 "records WHERE sequence=?1");
  both.Bind(1, sequence);
  int step = SQLITE_DONE;
  while ((step = both.Step()) == SQLITE_ROW) {
    if (chain && *chain != both.Number(0))
      return Fail(Damaged(sequence, "is not the one that the snapshot of it ends with"));
    chain = both.Number(0);
  }
  if (step != SQLITE_DONE) return Fail(Failed("read record " + std::to_string(sequence)));
  return chain;
}

Status SqliteJournal::ReadAfter(uint64_t sequence,
                                const std::function<Status(uint64_t, std::string_view)>& visit) {
  std::optional<uint64_t> chain = GP_TRY(ChainAt(sequence));
  Statement all(
      database_,
      "SELECT sequence, chain, crc, bytes FROM records WHERE sequence>? ORDER BY sequence");
  all.Bind(1, sequence);
  uint64_t last = sequence;
  int step = SQLITE_DONE;
  while ((step = all.Step()) == SQLITE_ROW) {
    const std::string_view bytes = all.Bytes(3);
    if (all.Number(0) != last + 1) return Fail(Damaged(last + 1, "is missing"));
    if (all.Number(2) != Crc32c(bytes)) return Fail(Damaged(last + 1, "is damaged (checksum)"));
    if (chain && all.Number(1) != NextChain(*chain, bytes))
      return Fail(Damaged(last + 1, "does not follow its predecessor"));
    chain = all.Number(1);
    GP_CHECK_OK(visit(++last, bytes));
  }
  if (step != SQLITE_DONE) return Fail(Failed("read record " + std::to_string(last + 1)));
  return CheckEnd(last, chain);
}

// New records must follow exactly what was read.  The last record is also looked up by its number:
// if a damaged key misleads that search, it would mislead the next record too.
Status SqliteJournal::CheckEnd(uint64_t sequence, std::optional<uint64_t> chain) {
  if (sequence < last_sequence_) return Fail(Damaged(sequence + 1, "is missing"));
  if (sequence > last_sequence_ || (chain && *chain != chain_))
    return Fail(Damaged(sequence, "is not the last one"));
  if (last_record_ == 0) return Ok();
  Statement last(database_, "SELECT chain FROM records WHERE sequence=?");
  last.Bind(1, last_record_);
  if (last.Step() != SQLITE_ROW)
    return Fail(Damaged(last_record_, "cannot be found by its number"));
  return Ok();
}

Status SqliteJournal::SaveSnapshot(const Snapshot& snapshot) {
  uint64_t chain = chain_;
  if (snapshot.sequence != last_sequence_) {
    Statement at(database_, "SELECT chain FROM records WHERE sequence=?");
    at.Bind(1, snapshot.sequence);
    if (at.Step() != SQLITE_ROW)
      return Fail(Internal("journal " + path_ + ": a snapshot of no record"));
    chain = at.Number(0);
  }
  return InOneTransaction("snapshot", [&] { return InsertSnapshot(snapshot, chain); });
}

Status SqliteJournal::InOneTransaction(const char* what, const std::function<Status()>& change) {
  GP_CHECK_OK(Run("BEGIN IMMEDIATE", what));
  Status done = change();
  if (done) done = Run("COMMIT", what);
  if (!done) IgnoreResult(Run("ROLLBACK", what), "the first error is reported");
  return done;
}

Status SqliteJournal::InsertSnapshot(const Snapshot& snapshot, uint64_t chain) {
  Statement insert(database_, "INSERT OR REPLACE INTO snapshots VALUES(?,?,?,?)");
  insert.Bind(1, snapshot.sequence);
  insert.Bind(2, chain);
  insert.Bind(3, uint64_t{SnapshotCrc(snapshot.sequence, chain, snapshot.bytes)});
  insert.Bind(4, snapshot.bytes);
  return insert.Step() == SQLITE_DONE ? Ok() : Fail(Failed("snapshot"));
}

// A snapshot that cannot be read is skipped, because its records exist.
Result<Snapshot> SqliteJournal::LatestSnapshot() {
  Statement all(database_,
                "SELECT sequence, chain, crc, bytes FROM snapshots ORDER BY sequence DESC");
  while (all.Step() == SQLITE_ROW) {
    if (all.Number(2) == SnapshotCrc(all.Number(0), all.Number(1), all.Bytes(3))) {
      return Snapshot{all.Number(0), std::string(all.Bytes(3))};
    }
  }
  return Snapshot{};
}

}  // namespace gp
