#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "adapters/outbound/sqlite/high_water_mark.h"
#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "application/control/recover.h"
#include "cmd/backup.h"
#include "files/replace_file.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

constexpr int kAsideMax = 1'000;
constexpr const char* kLog = "-wal";  // SQLite's, beside the database
constexpr const char* kMark = ".mark";

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

Status Renamed(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) == 0) return Ok();
  return Fail(Internal("cannot rename " + from + " to " + to + ": " + std::strerror(errno)));
}

// By SQLite's lock, without opening the database: it may be damaged, and stays as it is.
Status CheckNobodyHolds(const std::string& journal) {
  constexpr off_t kLockBytes = 0x40000000;  // where SQLite locks: sqlite.org/fileformat2.html, "The Lock-Byte Page"
  const int file = open(journal.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT ? Ok() : Fail(Internal(journal + ": " + std::strerror(errno)));
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kLockBytes;
  lock.l_len = 512;
  const bool is_known = fcntl(file, F_GETLK, &lock) == 0;
  close(file);
  if (is_known && lock.l_type == F_UNLCK) return Ok();
  return Fail(Conflict(journal + ": a controller runs on it; stop it first (systemctl stop gpu-platform)"));
}

// A name that nothing has yet, for what is in the way.
Result<std::string> AsideName(const std::string& path) {
  for (int again = 1; again <= kAsideMax; ++again) {
    std::string name = path + ".before-restore" + (again == 1 ? "" : "." + std::to_string(again));
    if (!Exists(name) && !Exists(name + kLog)) return name;
  }
  return Fail(Internal("too many of " + path + ".before-restore.*: remove some"));
}

// A journal that is made aside, and removed again unless it is put in its place.
class Draft {
 public:
  explicit Draft(std::string path) : path_(std::move(path)) { Remove(); }
  ~Draft() { Remove(); }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  Status CopyFrom(const std::string& journal) {
    for (const std::string end : {"", kLog, kMark}) {
      if (!end.empty() && !Exists(journal + end)) continue;
      std::error_code error;
      fs::copy_file(journal + end, path_ + end, error);
      if (error) return Fail(Internal("cannot copy " + journal + end + " to " + path_ + end + ": " + error.message()));
      if (chmod((path_ + end).c_str(), 0600) != 0) return Fail(Internal(path_ + end + ": " + std::strerror(errno)));
    }
    return Ok();
  }

  // All of it can be read, and the state that comes of it breaks no rule.
  Result<RestoreOutcome> Check() const {
    const auto journal = GP_TRY(SqliteJournal::Open(path_));
    if (!journal->loss().empty()) return Fail(Internal("the backup is not whole: " + journal->loss()));
    const Recovered recovered = GP_TRY(RecoverState(*journal));
    if (journal->LastSequence() == 0) return Fail(Conflict("the backup holds no record"));
    return RestoreOutcome{journal->LastSequence(), recovered.last_at, {}};
  }

  // The log before its database: alone, SQLite takes it for nothing.
  Status PutAt(const std::string& journal) const {
    if (Exists(path_ + kLog)) GP_CHECK_OK(Renamed(path_ + kLog, journal + kLog));
    return Renamed(path_, journal);
  }

 private:
  void Remove() const {
    for (const std::string end : {"", kLog, "-shm", kMark}) unlink((path_ + end).c_str());
  }

  const std::string path_;
};

// The start after this finds that records are missing, as they are: agents may have done more than this journal knows.
Status MarkLoss(const std::string& journal, uint64_t last) {
  HighWaterMark mark(journal + kMark);
  GP_CHECK_OK(mark.Open());
  return mark.value() > last ? Ok() : mark.Raise(last + 1);
}

Result<std::string> SetAside(const std::string& journal) {
  if (!Exists(journal) && !Exists(journal + kLog)) return std::string();
  std::string aside = GP_TRY(AsideName(journal));
  if (Exists(journal + kLog)) GP_CHECK_OK(Renamed(journal + kLog, aside + kLog));
  if (Exists(journal)) GP_CHECK_OK(Renamed(journal, aside));
  unlink((journal + "-shm").c_str());
  return aside;
}

// What is there already stays, unless it is another one and may be replaced.
Status RestoreSecret(const std::string& from, const std::string& to, bool replace) {
  if (!Exists(from)) return Ok();
  const std::string kept = GP_TRY(ReadTextFile(from));
  const auto there = ReadTextFile(to);
  if (there && (*there == kept || !replace)) return Ok();
  if (there) GP_CHECK_OK(Renamed(to, GP_TRY(AsideName(to))));
  return WriteTextFile(to, kept, 0600);
}

// The audit that is there tells more than its copy.
Status RestoreAudit(const std::string& from, const std::string& to) {
  if (!Exists(from) || Exists(to)) return Ok();
  GP_CHECK_OK(MakeDirectories(to, 0700));
  std::error_code error;
  fs::copy(from, to, error);
  return error ? Fail(Internal("cannot copy " + from + " to " + to + ": " + error.message())) : Ok();
}

Status SyncDirectoryAt(const std::string& path) {
  const int directory = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return Fail(Internal(path + ": " + std::strerror(errno)));
  const Status synced = SyncDirectory(directory);
  close(directory);
  return synced;
}

}  // namespace

Result<RestoreOutcome> Restore(const std::string& directory, const std::string& state, bool replace) {
  const std::string backup = directory + "/journal.db";
  const std::string journal = state + "/journal.db";
  if (!Exists(backup)) return Fail(NotFound(directory + ": no backup there (gpu-platform admin backup makes one)"));
  GP_CHECK_OK(MakeDirectories(state, 0711));
  std::error_code ignored;
  if (fs::equivalent(directory, state, ignored)) return Fail(InvalidArgument(state + " is where the controller's own journal is: name a backup of it"));
  GP_CHECK_OK(CheckNobodyHolds(journal));
  if (Exists(journal) && !replace) return Fail(Conflict(state + " has a journal; --replace sets it aside"));
  Draft draft(journal + ".restored");
  GP_CHECK_OK(draft.CopyFrom(backup));
  auto outcome = draft.Check();
  if (!outcome) return Fail(outcome.error().Within(directory));
  for (const std::string name : kBackedUpSecrets) GP_CHECK_OK(RestoreSecret(directory + "/" + name, state + "/" + name, replace));
  GP_CHECK_OK(RestoreAudit(directory + "/" + kBackedUpAudit, state + "/" + kBackedUpAudit));
  GP_CHECK_OK(MarkLoss(journal, outcome->last));  // first: whatever is left half done is known as such
  outcome->set_aside = GP_TRY(SetAside(journal));
  GP_CHECK_OK(draft.PutAt(journal));
  GP_CHECK_OK(SyncDirectoryAt(state));
  return outcome;
}

}  // namespace gp
