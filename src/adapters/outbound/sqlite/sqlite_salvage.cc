// Rescues the undamaged part of a journal, and keeps a copy of the whole beside it.

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "adapters/outbound/sqlite/journal_rows.h"
#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "adapters/outbound/sqlite/sqlite_statement.h"
#include "base/digest.h"

namespace gp {
namespace {

constexpr int64_t kPieceBytes = 1 << 20;
constexpr int kCopiesMax = 1'000;

// A name that no earlier copy has.
Result<std::string> FreeName(const std::string& path) {
  for (int again = 1; again <= kCopiesMax; ++again) {
    std::string name = path + ".damaged" + (again == 1 ? "" : "." + std::to_string(again));
    if (access(name.c_str(), F_OK) != 0 && access((name + "-wal").c_str(), F_OK) != 0) return name;
  }
  return Fail(Internal("too many copies " + path + ".damaged.*: remove some"));
}

Status CopyPieces(sqlite3_file* from, int to) {
  sqlite3_int64 size = 0;
  if (from->pMethods->xFileSize(from, &size) != SQLITE_OK)
    return Fail(Internal("its size is not known"));
  std::string piece;
  for (int64_t at = 0; at < size; at += static_cast<int64_t>(piece.size())) {
    piece.resize(static_cast<size_t>(std::min<int64_t>(kPieceBytes, size - at)));
    if (from->pMethods->xRead(from, piece.data(), static_cast<int>(piece.size()), at) !=
        SQLITE_OK) {
      return Fail(Internal("cannot read at " + std::to_string(at)));
    }
    if (write(to, piece.data(), piece.size()) != static_cast<ssize_t>(piece.size())) {
      return Fail(Internal(std::strerror(errno)));
    }
  }
  return fsync(to) == 0 ? Ok() : Fail(Internal(std::strerror(errno)));
}

// Uses the database's own descriptor: closing another one of the same file would release its lock.
Status CopyFile(sqlite3* database, int which, const std::string& to) {
  sqlite3_file* from = nullptr;
  sqlite3_file_control(database, "main", which, &from);
  if (from == nullptr || from->pMethods == nullptr) return Ok();
  const int file = open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return Fail(Internal("cannot create " + to + ": " + std::strerror(errno)));
  const Status copied = CopyPieces(from, file);
  close(file);
  if (!copied) return Fail(copied.error().Within("cannot copy to " + to));
  return Ok();
}

// A scratch database beside the journal, removed at the end.
struct Scratch {
  explicit Scratch(const std::string& path) : path(path) {
    unlink(path.c_str());
    sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  }
  ~Scratch() {
    sqlite3_close(database);
    unlink(path.c_str());
  }
  Error Failed() const { return Internal(path + ": " + sqlite3_errmsg(database)); }
  Status Run(const char* sql) const {
    return sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK ? Ok()
                                                                               : Fail(Failed());
  }

  const std::string path;
  sqlite3* database = nullptr;
};

}  // namespace

Result<uint64_t> SqliteJournal::KeepSoundPrefix() {
  const Snapshot snapshot = GP_TRY(LatestSnapshot());
  const auto begins = Base();
  // All that exists follows something that is missing
  if (!begins && snapshot.sequence == 0) return Fail(begins.error());
  const Snapshot base = begins ? *begins : Snapshot{};
  uint64_t from_first = 0, from_snapshot = 0;
  if (begins && IsSoundAfter(base.sequence, from_first)) return last_sequence_;
  if (snapshot.sequence > 0 && IsSoundAfter(snapshot.sequence, from_snapshot)) {
    if (!begins) return MendBeginning(snapshot);
    return Fail(Conflict(
        "journal " + path_ +
        ": the damage lies before the newest snapshot, which is sound: nothing to give up"));
  }
  const Snapshot& beginning = from_first >= from_snapshot ? base : snapshot;
  return GiveUpAfter(std::max(from_first, from_snapshot), beginning, snapshot);
}

bool SqliteJournal::IsSoundAfter(uint64_t after, uint64_t& sound) {
  sound = after;
  const Status read = ReadAfter(after, [&sound](uint64_t sequence, std::string_view) -> Status {
    sound = sequence;
    return Ok();
  });
  return read.has_value();
}

Result<uint64_t> SqliteJournal::GiveUpAfter(uint64_t sound, const Snapshot& base,
                                            const Snapshot& snapshot) {
  // Every start finds the loss again until it is accepted.
  if (mark_.value() <= sound) GP_CHECK_OK(mark_.Raise(sound + 1));
  GP_CHECK_OK(CopyAside());
  GP_CHECK_OK(Rebuild(base, snapshot, sound));
  GP_CHECK_OK(LoadTail());
  loss_ = "journal " + path_ + ": given up from record " + std::to_string(sound + 1) + " on";
  return sound;
}

// Nothing is lost: only the beginning was unknown.
Result<uint64_t> SqliteJournal::MendBeginning(const Snapshot& snapshot) {
  GP_CHECK_OK(CopyAside());
  GP_CHECK_OK(Rebuild(snapshot, snapshot, last_sequence_));
  GP_CHECK_OK(LoadTail());
  return last_sequence_;
}

Status SqliteJournal::CopyAside() {
  const std::string copy = GP_TRY(FreeName(path_));
  GP_CHECK_OK(CopyFile(database_, SQLITE_FCNTL_JOURNAL_POINTER, copy + "-wal"));
  return CopyFile(database_, SQLITE_FCNTL_FILE_POINTER, copy);
}

// Copies everything undamaged into another file, whose pages then replace all pages of the journal
// in one transaction.  This works whatever state the journal is in, and whenever it is interrupted.
Status SqliteJournal::Rebuild(const Snapshot& base, const Snapshot& snapshot, uint64_t sound) {
  const Scratch kept(path_ + ".kept");
  GP_CHECK_OK(kept.Run("PRAGMA journal_mode=OFF"));
  GP_CHECK_OK(kept.Run(kJournalSchema));
  GP_CHECK_OK(kept.Run("BEGIN"));
  if (base.sequence > 0) {
    GP_CHECK_OK(WriteBase(kept.database, base.sequence));
    GP_CHECK_OK(CopySnapshot(kept.database, base));
  }
  if (snapshot.sequence > base.sequence && snapshot.sequence <= sound)
    GP_CHECK_OK(CopySnapshot(kept.database, snapshot));
  GP_CHECK_OK(CopyRecords(kept.database, base.sequence, sound));
  GP_CHECK_OK(kept.Run("COMMIT"));
  sqlite3_backup* backup = sqlite3_backup_init(database_, "main", kept.database, "main");
  if (backup == nullptr) return Fail(Failed("rebuild"));
  sqlite3_backup_step(backup, -1);
  return sqlite3_backup_finish(backup) == SQLITE_OK ? Ok() : Fail(Failed("rebuild"));
}

Status SqliteJournal::CopyRecords(sqlite3* kept, uint64_t after, uint64_t sound) {
  uint64_t chain = GP_TRY(ChainAt(after)).value_or(0);
  Statement insert(kept, "INSERT INTO records VALUES(?,?,?,?)");
  uint64_t copied = after;
  const Status read = ReadAfter(after, [&](uint64_t sequence, std::string_view bytes) -> Status {
    chain = NextChain(chain, bytes);
    insert.Bind(1, sequence);
    insert.Bind(2, chain);
    insert.Bind(3, uint64_t{Crc32c(bytes)});
    insert.Bind(4, bytes);
    if (insert.Step() != SQLITE_DONE)
      return Fail(Internal(path_ + ".kept: " + sqlite3_errmsg(kept)));
    insert.Reset();
    copied = sequence;
    return Ok();
  });
  if (copied == sound) return Ok();
  return read ? Fail(Damaged(copied + 1, "is missing")) : read;
}

Status SqliteJournal::CopySnapshot(sqlite3* kept, const Snapshot& snapshot) {
  Statement row(database_, "SELECT chain, crc FROM snapshots WHERE sequence=?");
  row.Bind(1, snapshot.sequence);
  if (row.Step() != SQLITE_ROW) return Fail(Failed("read a snapshot"));
  Statement insert(kept, "INSERT INTO snapshots VALUES(?,?,?,?)");
  insert.Bind(1, snapshot.sequence);
  insert.Bind(2, row.Number(0));
  insert.Bind(3, row.Number(1));
  insert.Bind(4, snapshot.bytes);
  if (insert.Step() == SQLITE_DONE) return Ok();
  return Fail(Internal(path_ + ".kept: " + sqlite3_errmsg(kept)));
}

}  // namespace gp
