#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "adapters/outbound/sqlite/high_water_mark.h"
#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "application/control/recover.h"
#include "cmd/admin/backup.h"
#include "cmd/sharing/shared_mark.h"
#include "files/descriptor.h"
#include "files/move_directory.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

constexpr int kAsideMax = 1'000;
constexpr size_t kPieceBytes = 1 << 20;
constexpr const char* kLog = "-wal";  // SQLite's, beside the database
constexpr const char* kMark = ".mark";

std::string JournalIn(const std::string& directory) { return directory + "/journal.db"; }

Error Trouble(const std::string& what) { return Internal(what + ": " + std::strerror(errno)); }

bool Exists(const std::string& path) {
  struct stat found{};
  return lstat(path.c_str(), &found) == 0 || errno != ENOENT;
}

// Makes what was written, or renamed in a directory, survive a power cut.
Status Sync(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.get() >= 0 && fsync(file.get()) == 0 ? Ok() : Fail(Trouble(path));
}

Status Rename(const std::string& from, const std::string& to) {
  return std::rename(from.c_str(), to.c_str()) == 0
             ? Ok()
             : Fail(Trouble("cannot rename " + from + " to " + to));
}

// Keeps other processes from opening the database, by SQLite's own lock and without opening it,
// because it may be damaged. Until the file is closed; no other descriptor of it may be closed in
// this process before.
Result<Descriptor> LockDatabase(const std::string& path, int flags, short type,
                                const std::string& held) {
  // Where SQLite locks: sqlite.org/fileformat2.html, "The Lock-Byte Page"
  constexpr off_t kLockBytes = 0x40000000;
  Descriptor file(open(path.c_str(), flags | O_CLOEXEC));
  if (file.get() < 0)
    return errno == ENOENT ? Fail(NotFound(path + ": is not there")) : Fail(Trouble(path));
  struct flock lock{};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = kLockBytes;
  lock.l_len = 512;
  if (fcntl(file.get(), F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN))
    return Fail(Conflict(path + ": " + held));
  return file;
}

// An unused name for the file that is in the way.
Result<std::string> AsideName(const std::string& path) {
  for (int again = 1; again <= kAsideMax; ++again) {
    std::string name = path + ".before-restore" + (again == 1 ? "" : "." + std::to_string(again));
    if (!Exists(name) && !Exists(name + kLog)) return name;
  }
  return Fail(Internal("too many of " + path + ".before-restore.*: remove some"));
}

// Readable by its owner alone from the first byte on, and synced to disk.
Status CopyOpenFile(int from, const std::string& to) {
  const Descriptor copy(
      open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (copy.get() < 0) return Fail(Trouble(to));
  std::string piece(kPieceBytes, '\0');
  off_t at = 0;
  for (ssize_t n = 0; (n = pread(from, piece.data(), piece.size(), at)) != 0; at += n) {
    if (n < 0) return Fail(Trouble("cannot read for " + to));
    if (pwrite(copy.get(), piece.data(), static_cast<size_t>(n), at) != n)
      return Fail(Trouble("cannot write " + to));
  }
  return fsync(copy.get()) == 0 ? Ok() : Fail(Trouble(to));
}

Status CopyByPath(const std::string& from, const std::string& to) {
  const Descriptor file(open(from.c_str(), O_RDONLY | O_CLOEXEC));
  return file.get() < 0 ? Fail(Trouble(from)) : CopyOpenFile(file.get(), to);
}

// A copy of a journal beside its place; it is removed unless it is put in its place.
class Draft {
 public:
  explicit Draft(std::string path) : path_(std::move(path)) {}
  ~Draft() {
    for (const std::string end : {"", kLog, "-shm", kMark}) unlink((path_ + end).c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  Status CopyFrom(const std::string& journal) const {
    const Descriptor file = GP_TRY(LockDatabase(
        journal, O_RDONLY, F_RDLCK, "a backup is being made there; try again when it has ended"));
    GP_CHECK_OK(CopyOpenFile(file.get(), path_));
    for (const std::string end : {kLog, kMark}) {
      if (Exists(journal + end)) GP_CHECK_OK(CopyByPath(journal + end, path_ + end));
    }
    return Ok();
  }

  // Checks that all of it can be read and that the resulting state breaks no rule. Then it is one
  // file.
  // `unless_whole`: the error where records are missing at its end; empty: that is no error.
  Result<RestoreOutcome> Check(const std::string& unless_whole) const {
    RestoreOutcome outcome;
    {
      const auto journal = GP_TRY(SqliteJournal::Open(path_));
      if (!unless_whole.empty() && !journal->loss().empty()) return Fail(Internal(unless_whole));
      const Recovered recovered = GP_TRY(RecoverState(*journal));
      outcome.last = journal->LastSequence();
      outcome.last_at = recovered.last_at;
    }
    if (outcome.last == 0) return Fail(Conflict("it holds no record"));
    struct stat log{};
    if (stat((path_ + kLog).c_str(), &log) == 0 && log.st_size > 0)
      return Fail(Internal(path_ + kLog + " is left over"));
    GP_CHECK_OK(Sync(path_));
    return outcome;
  }

  // Fails if a journal has appeared there meanwhile.
  Status PutAt(const std::string& journal) const {
    if (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, journal.c_str(), RENAME_NOREPLACE) == 0)
      return Ok();
    if (errno == EEXIST)
      return Fail(Conflict(journal + ": a controller was started meanwhile; stop it first"));
    return Rename(path_, journal);  // the file system does not support the flag
  }

 private:
  const std::string path_;
};

// The next start finds that records are missing, which is right: agents may have done more than
// this journal knows.
Status MarkLoss(const std::string& journal, uint64_t last) {
  HighWaterMark mark(journal + kMark);
  GP_CHECK_OK(mark.Open());
  if (mark.value() <= last) GP_CHECK_OK(mark.Raise(last + 1));
  return Sync(journal + kMark);
}

// The next start finds the journal as it was: the log that it follows has what came later.
Status MarkWhole(const std::string& journal, uint64_t last) {
  if (unlink((journal + kMark).c_str()) != 0) return Fail(Trouble(journal + kMark));
  HighWaterMark mark(journal + kMark);
  GP_CHECK_OK(mark.Open());
  GP_CHECK_OK(mark.Raise(last));
  return Sync(journal + kMark);
}

// It gets its other name before it loses the first one, so that a crash does not lose it.
Status NameAside(const std::string& journal, const std::string& aside) {
  for (const std::string end : {"", kLog}) {
    if (!Exists(journal + end) || link((journal + end).c_str(), (aside + end).c_str()) == 0)
      continue;
    const Error error = Trouble("cannot give " + journal + end + " the name " + aside + end);
    unlink(aside.c_str());
    return Fail(error);
  }
  return Ok();
}

// The write-ahead log goes last: SQLite ignores one that is alone, and takes one beside
// another database for that database's.
Status TakeAway(const std::string& journal) {
  for (const std::string end : {"", kLog, "-shm"}) {
    if (unlink((journal + end).c_str()) != 0 && errno != ENOENT)
      return Fail(Trouble(journal + end));
  }
  return Ok();
}

// A file that is there stays, unless it differs and may be replaced.
Status RestoreSecret(const std::string& from, const std::string& to, bool replace) {
  if (!Exists(from)) return Ok();
  const std::string kept = GP_TRY(ReadTextFile(from));
  const auto there = ReadTextFile(to);
  if (there && (*there == kept || !replace)) return Ok();
  if (there) GP_CHECK_OK(Rename(to, GP_TRY(AsideName(to))));
  return WriteTextFile(to, kept, 0600);
}

Status CopyDirectory(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::remove_all(to, error);
  GP_CHECK_OK(MakeDirectories(to, 0700));
  for (const auto& file : fs::directory_iterator(from, error))
    GP_CHECK_OK(CopyByPath(file.path(), to + "/" + file.path().filename().string()));
  return error ? Fail(Internal(from + ": " + error.message())) : Sync(to);
}

// The whole of it or nothing.
Status RestoreAudit(const std::string& from, const std::string& to, bool replace) {
  if (!Exists(from) || (Exists(to) && !replace)) return Ok();
  GP_CHECK_OK(CopyDirectory(from, to + ".restored"));
  if (Exists(to)) GP_CHECK_OK(MoveDirectory(to, GP_TRY(AsideName(to))));
  return MoveDirectory(to + ".restored", to);
}

Status MakeStateDirectory(const std::string& state) {
  if (Exists(state)) return Ok();
  GP_CHECK_OK(MakeDirectories(state, 0711));
  return Sync(fs::path(AbsolutePath(state)).parent_path());
}

// There is one, elsewhere than in the state directory.
Status CheckBackup(const std::string& directory, const std::string& state) {
  if (!Exists(directory + "/" + kBackupSign) || !Exists(JournalIn(directory)))
    return Fail(NotFound(directory + ": no backup there (gpu-platform admin backup makes one)"));
  std::error_code ignored;
  if (fs::equivalent(directory, state, ignored))
    return Fail(
        InvalidArgument(state + " is where the controller's own journal is: name a backup of it"));
  return Ok();
}

// Keeps controllers from starting; -1: there is no journal to lock.
Result<Descriptor> LockJournal(const std::string& journal) {
  auto lock = LockDatabase(journal, O_RDWR, F_WRLCK,
                           "a controller runs on it; stop it first (systemctl stop gpu-platform)");
  if (!lock && lock.error().code == ErrorCode::kNotFound) return Descriptor();
  return lock;
}

Result<RestoreOutcome> FillDraft(const Draft& draft, const std::string& directory) {
  const Status copied = draft.CopyFrom(JournalIn(directory));
  Result<RestoreOutcome> outcome =
      copied ? draft.Check(
                   "its end is missing: it was copied while it was written, or in part; make it "
                   "again, or use an older one")
             : Fail(copied.error());
  if (!outcome) return Fail(outcome.error().Within("the backup in " + directory));
  return outcome;
}

// What a backup has beside the journal.
Status RestoreFiles(const std::string& directory, const std::string& state, bool replace) {
  for (const std::string name : kBackedUpSecrets)
    GP_CHECK_OK(RestoreSecret(directory + "/" + name, state + "/" + name, replace));
  return RestoreAudit(directory + "/" + kBackedUpAudit, state + "/" + kBackedUpAudit, replace);
}

// The journal's new name; it keeps the other one until it is taken away.
Result<std::string> SetAside(const std::string& journal) {
  std::string aside = GP_TRY(AsideName(journal));
  GP_CHECK_OK(NameAside(journal, aside));
  return aside;
}

Status PutInPlace(const Draft& draft, const std::string& state, const RestoreOutcome& outcome,
                  bool as_standby) {
  const std::string journal = JournalIn(state);
  // Marked before anything is removed, so that an incomplete restore is recognized
  GP_CHECK_OK(MarkLoss(journal, outcome.last));
  GP_CHECK_OK(Sync(state));
  Status placed = TakeAway(journal);
  if (placed) placed = draft.PutAt(journal);
  if (placed && as_standby) placed = MarkWhole(journal, outcome.last);
  if (placed) placed = Sync(state);
  if (placed || outcome.set_aside.empty()) return placed;
  return Fail(placed.error().Within("the previous journal is now " + outcome.set_aside));
}

Status CheckMayBeAdopted(const std::string& state) {
  if (!Exists(JournalIn(state)))
    return Fail(NotFound(state + ": no journal of a controller there"));
  const SharedMark mark = GP_TRY(ReadSharedMark(state));
  if (!mark.is_there)
    return Fail(Conflict(state + ": its controller shares no log; just start it"));
  // It is as old as its backup, and has no secrets of jobs.
  if (mark.cluster.empty())
    return Fail(Conflict(state +
                         ": its controller has never followed the log: adopt the journal of one "
                         "that has, or restore the backup (gpu-platform admin restore)"));
  return Ok();
}

}  // namespace

Result<RestoreOutcome> ReadLocal(const std::string& state, bool has_all) {
  GP_CHECK_OK(CheckMayBeAdopted(state));
  const std::string journal = JournalIn(state);
  GP_TRY(LockJournal(journal));  // no controller runs on it
  const Draft draft(journal + ".checked-" + std::to_string(getpid()));
  GP_CHECK_OK(draft.CopyFrom(journal));
  auto outcome = draft.Check(has_all ? "records are missing at its end: not with --has-all" : "");
  return outcome ? std::move(outcome) : Fail(outcome.error().Within(journal));
}

// The lock does not last over the reading: closing any descriptor of the journal ends it.
Result<RestoreOutcome> AdoptLocal(const std::string& state, bool has_all) {
  const std::string journal = JournalIn(state);
  const auto written = ReadTextFile(journal + kMark);
  auto outcome = GP_TRY(ReadLocal(state, has_all));
  const Descriptor lock = GP_TRY(LockJournal(journal));
  const auto now = ReadTextFile(journal + kMark);
  if (written.value_or("") != now.value_or(""))
    return Fail(Conflict(journal + ": a controller ran on it meanwhile; stop it for good"));
  if (!has_all) GP_CHECK_OK(MarkLoss(journal, outcome.last));
  GP_CHECK_OK(Unmark(state));
  GP_CHECK_OK(Sync(state));
  return outcome;
}

Result<RestoreOutcome> Restore(const std::string& directory, const std::string& state,
                               RestoreHow how) {
  GP_CHECK_OK(CheckBackup(directory, state));
  const std::string journal = JournalIn(state);
  const bool is_there = Exists(journal) || Exists(journal + kLog);
  if (is_there && !how.replace)
    return Fail(Conflict(state + " has a journal; --replace sets it aside"));
  GP_CHECK_OK(MakeStateDirectory(state));
  const Descriptor lock = GP_TRY(LockJournal(journal));

  const Draft draft(journal + ".restored-" + std::to_string(getpid()));
  RestoreOutcome outcome = GP_TRY(FillDraft(draft, directory));
  GP_CHECK_OK(RestoreFiles(directory, state, how.replace));
  // What is put in place must never be the state of a controller of its own.
  if (how.as_standby) GP_CHECK_OK(MarkShared(state, ""));
  if (is_there) outcome.set_aside = GP_TRY(SetAside(journal));
  GP_CHECK_OK(PutInPlace(draft, state, outcome, how.as_standby));
  return outcome;
}

}  // namespace gp
