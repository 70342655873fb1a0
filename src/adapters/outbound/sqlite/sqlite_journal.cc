#include "adapters/outbound/sqlite/sqlite_journal.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "base/digest.h"

namespace gp {
namespace {

constexpr int64_t kApplicationId = 0x47504a31;  // "GPJ1"

// A log of this many pages is written into the database and begun again.
constexpr int64_t kLogPages = 4'000;
constexpr int64_t kPageBytes = 4'096;

constexpr const char* kSchema =
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=FULL;"
    "PRAGMA locking_mode=EXCLUSIVE;"
    "CREATE TABLE IF NOT EXISTS records("
    "  sequence INTEGER PRIMARY KEY, chain INTEGER NOT NULL, crc INTEGER NOT NULL, bytes BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS snapshots("
    "  sequence INTEGER PRIMARY KEY, chain INTEGER NOT NULL, crc INTEGER NOT NULL, bytes BLOB NOT NULL);";

// The chain of record n binds it to all before it.
uint64_t NextChain(uint64_t chain, std::string_view bytes) { return Digest64(bytes, chain); }

// A mark is a hint and needs no sync: a crash may leave it behind the journal, never before it.
constexpr uint64_t kRecordsPerMark = 256;

// A sync that also has to record the file's new size takes a tenth of a millisecond longer.  Zeros are no
// frames to SQLite; nobody else writes there while the database is held exclusively.  Without room the log
// grows as it is written.
void ReserveLog(const std::string& database_path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen((database_path + "-wal").c_str(), "r+be"), std::fclose);
  if (file == nullptr || std::fseek(file.get(), 0, SEEK_END) != 0) return;
  const std::string zeros(static_cast<size_t>(std::max<int64_t>(0, kLogPages * kPageBytes - std::ftell(file.get()))), '\0');
  if (std::fwrite(zeros.data(), 1, zeros.size(), file.get()) == zeros.size() && std::fflush(file.get()) == 0) fdatasync(fileno(file.get()));
}

std::string MarkPath(const std::string& path) { return path + ".mark"; }

class Statement {
 public:
  Statement(sqlite3* database, const char* sql) {
    sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  void Bind(int at, uint64_t value) { sqlite3_bind_int64(statement_, at, static_cast<int64_t>(value)); }
  void Bind(int at, std::string_view bytes) {
    sqlite3_bind_blob64(statement_, at, bytes.data(), bytes.size(), SQLITE_STATIC);
  }
  int Step() { return statement_ == nullptr ? SQLITE_ERROR : sqlite3_step(statement_); }
  uint64_t Number(int column) {
    return static_cast<uint64_t>(sqlite3_column_int64(statement_, column));
  }
  std::string_view Bytes(int column) {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return {data == nullptr ? "" : data, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
  }

 private:
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace

Error SqliteJournal::Failed(const std::string& what) const {
  const int code = sqlite3_errcode(database_);
  const std::string message = "journal: " + what + ": " + sqlite3_errmsg(database_);
  return code == SQLITE_BUSY ? Unavailable(message + " (does another controller run on it?)")
                             : Internal(message);
}

Status SqliteJournal::Run(const char* sql) {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) return Fail(Failed("write"));
  return Ok();
}

Result<std::unique_ptr<SqliteJournal>> SqliteJournal::Open(const std::string& path) {
  // It holds jobs' environments: for its owner alone, and so are the files that SQLite puts beside it.
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  sqlite3* database = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &database,
                                   SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  std::unique_ptr<SqliteJournal> journal(new SqliteJournal(database, path));
  if (code != SQLITE_OK) return Fail(journal->Failed("open " + path));
  GP_CHECK_OK(journal->Prepare());
  GP_CHECK_OK(journal->LoadTail());
  journal->CompareMark();
  return journal;
}

Status SqliteJournal::Prepare() {
  sqlite3_busy_timeout(database_, 200);
  {
    Statement id(database_, "PRAGMA application_id");
    if (id.Step() != SQLITE_ROW) return Fail(Failed("read"));
    const auto found = static_cast<int64_t>(id.Number(0));
    if (found != 0 && found != kApplicationId) return Fail(Internal("journal: not a gpu-platform journal"));
  }
  GP_CHECK_OK(Run(kSchema));
  GP_CHECK_OK(Run(("PRAGMA wal_autocheckpoint=" + std::to_string(kLogPages)).c_str()));
  GP_CHECK_OK(Run(("PRAGMA application_id=" + std::to_string(kApplicationId)).c_str()));
  ReserveLog(path_);
  const auto prepare = [&](const char* sql, sqlite3_stmt*& statement) {
    return sqlite3_prepare_v3(database_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) == SQLITE_OK;
  };
  const bool is_prepared = prepare("BEGIN IMMEDIATE", begin_) && prepare("INSERT INTO records VALUES(?,?,?,?)", insert_) && prepare("COMMIT", commit_);
  return is_prepared ? Ok() : Fail(Failed("prepare"));
}

Status SqliteJournal::LoadTail() {
  Statement tail(database_,
                 "SELECT sequence, chain FROM records UNION ALL SELECT sequence, chain FROM snapshots "
                 "ORDER BY sequence DESC LIMIT 1");
  const int step = tail.Step();
  if (step == SQLITE_ROW) {
    last_sequence_ = tail.Number(0);
    chain_ = tail.Number(1);
  } else if (step != SQLITE_DONE) {
    return Fail(Failed("read"));
  }
  return Ok();
}

void SqliteJournal::CompareMark() {
  std::ifstream file(MarkPath(path_));
  uint64_t marked = 0;
  if (!(file >> marked)) return;
  marked_ = std::min(marked, last_sequence_);
  if (marked <= last_sequence_) return;
  loss_ = "journal: records " + std::to_string(last_sequence_ + 1) + " to " + std::to_string(marked) +
          " (or beyond) were written once and are gone: work acknowledged then is lost";
}

void SqliteJournal::AcceptLoss() {
  loss_.clear();
  WriteMark();
}

void SqliteJournal::WriteMark() {
  const std::string fresh = MarkPath(path_) + ".new";
  std::ofstream(fresh) << last_sequence_ << "\n";
  if (std::rename(fresh.c_str(), MarkPath(path_).c_str()) == 0) marked_ = last_sequence_;
}

Result<uint64_t> SqliteJournal::KeepSoundPrefix() {
  uint64_t sound = 0;
  const Snapshot snapshot = GP_TRY(LatestSnapshot());
  const Status read = ReadAfter(0, [&](uint64_t sequence, std::string_view) -> Status {
    sound = sequence;
    return Ok();
  });
  if (read) return last_sequence_;
  if (snapshot.sequence > sound) {
    return Fail(Conflict("journal: the damage lies before the newest snapshot, which is sound: nothing to give up"));
  }
  WriteMark();  // of what there was: until the loss is accepted, every start finds it again
  const std::string copy = path_ + ".damaged";
  GP_CHECK_OK(Run(("VACUUM INTO '" + copy + "'").c_str()));
  GP_CHECK_OK(Run(("DELETE FROM records WHERE sequence>" + std::to_string(sound)).c_str()));
  chain_ = 0;
  last_sequence_ = 0;
  GP_CHECK_OK(LoadTail());
  loss_ = "journal: given up from record " + std::to_string(sound + 1) + " on";
  return sound;
}

SqliteJournal::~SqliteJournal() {
  if (insert_ != nullptr && loss_.empty()) WriteMark();
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

Status SqliteJournal::Append(std::span<const std::string> records) {
  GP_CHECK_OK(Step(begin_));
  uint64_t sequence = last_sequence_;
  uint64_t chain = chain_;
  Status written = Ok();
  for (const std::string& record : records) {
    chain = NextChain(chain, record);
    sqlite3_bind_int64(insert_, 1, static_cast<int64_t>(++sequence));
    sqlite3_bind_int64(insert_, 2, static_cast<int64_t>(chain));
    sqlite3_bind_int64(insert_, 3, Crc32c(record));
    sqlite3_bind_blob64(insert_, 4, record.data(), record.size(), SQLITE_STATIC);
    written = Step(insert_);
    if (!written) break;
  }
  if (written) written = Step(commit_);
  if (!written) {
    (void)Run("ROLLBACK");
    return written;
  }
  last_sequence_ = sequence;
  chain_ = chain;
  if (loss_.empty() && last_sequence_ >= marked_ + kRecordsPerMark) WriteMark();
  return Ok();
}

Status SqliteJournal::ReadAfter(uint64_t sequence,
                                const std::function<Status(uint64_t, std::string_view)>& visit) {
  uint64_t chain = 0;
  bool chain_known = sequence == 0;
  if (!chain_known) {
    Statement before(database_, "SELECT chain FROM snapshots WHERE sequence=?1 UNION ALL "
                                "SELECT chain FROM records WHERE sequence=?1 LIMIT 1");
    before.Bind(1, sequence);
    if (before.Step() == SQLITE_ROW) {
      chain = before.Number(0);
      chain_known = true;
    }
  }
  Statement all(database_, "SELECT sequence, chain, crc, bytes FROM records WHERE sequence>? ORDER BY sequence");
  all.Bind(1, sequence);
  uint64_t expected = sequence + 1;
  int step = SQLITE_DONE;
  while ((step = all.Step()) == SQLITE_ROW) {
    const std::string_view bytes = all.Bytes(3);
    const auto damaged = [&](const std::string& how) {
      return Fail(Internal("journal: record " + std::to_string(expected) + " " + how +
                           "; all before it is sound"));
    };
    if (all.Number(0) != expected) return damaged("is missing");
    if (all.Number(2) != Crc32c(bytes)) return damaged("is damaged (checksum)");
    if (chain_known && all.Number(1) != NextChain(chain, bytes)) return damaged("does not follow its predecessor");
    chain = all.Number(1);
    chain_known = true;
    GP_CHECK_OK(visit(expected, bytes));
    ++expected;
  }
  if (step != SQLITE_DONE) return Fail(Failed("read record " + std::to_string(expected)));
  return Ok();
}

Status SqliteJournal::SaveSnapshot(const Snapshot& snapshot) {
  uint64_t chain = chain_;
  if (snapshot.sequence != last_sequence_) {
    Statement at(database_, "SELECT chain FROM records WHERE sequence=?");
    at.Bind(1, snapshot.sequence);
    if (at.Step() != SQLITE_ROW) return Fail(Internal("journal: a snapshot of no record"));
    chain = at.Number(0);
  }
  GP_CHECK_OK(Run("BEGIN IMMEDIATE"));
  Statement insert(database_, "INSERT OR REPLACE INTO snapshots VALUES(?,?,?,?)");
  insert.Bind(1, snapshot.sequence);
  insert.Bind(2, chain);
  insert.Bind(3, Crc32c(snapshot.bytes));
  insert.Bind(4, snapshot.bytes);
  if (insert.Step() != SQLITE_DONE) {
    const Error error = Failed("snapshot");
    (void)Run("ROLLBACK");
    return Fail(error);
  }
  // Two snapshots stay, so that damage to the newest is no loss while its records remain.
  Status saved = Run("DELETE FROM snapshots WHERE sequence NOT IN "
                     "(SELECT sequence FROM snapshots ORDER BY sequence DESC LIMIT 2)");
  if (saved) saved = Run("COMMIT");
  if (!saved) (void)Run("ROLLBACK");
  return saved;
}

Result<Snapshot> SqliteJournal::LatestSnapshot() {
  Statement all(database_, "SELECT sequence, crc, bytes FROM snapshots ORDER BY sequence DESC");
  while (all.Step() == SQLITE_ROW) {
    if (all.Number(1) == Crc32c(all.Bytes(2))) return Snapshot{all.Number(0), std::string(all.Bytes(2))};
  }
  return Snapshot{};
}

}  // namespace gp
