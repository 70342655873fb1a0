#include "cmd/admin/disaster_recovery.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "adapters/outbound/secret_files/secret_files.h"
#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "application/control/recover.h"
#include "base/ignore_result.h"
#include "infrastructure/paths.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

// What is restored becomes a backup first, in a directory that is removed in the end.
class BackupFromArchive {
 public:
  explicit BackupFromArchive(std::string directory) : directory_(std::move(directory)) {}
  ~BackupFromArchive() {
    journal_.reset();
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
  BackupFromArchive(const BackupFromArchive&) = delete;
  BackupFromArchive& operator=(const BackupFromArchive&) = delete;

  const std::string& directory() const { return directory_; }

  // An empty journal; the one before is given up.
  Result<Journal*> BeginJournal(const Snapshot& after) {
    journal_.reset();
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
    GP_CHECK_OK(MakeDirectories(directory_, 0700));
    journal_ = GP_TRY(SqliteJournal::Open(directory_ + "/journal.db"));
    if (after.sequence > 0) GP_CHECK_OK(journal_->GoOnAfter(after));
    return journal_.get();
  }

  // Whether the state breaks no rule: nothing is claimed for one that cannot start.
  Status Check() {
    const auto journal = GP_TRY(SqliteJournal::Open(directory_ + "/journal.db"));
    const auto recovered = RecoverState(*journal);
    return recovered ? Ok() : Status(Fail(recovered.error()));
  }

  Status Finish(const ArchivedFiles& files) {
    journal_.reset();  // all of it is in one file then
    GP_CHECK_OK(WriteTextFile(directory_ + "/" + kBackupSign, "", 0600));
    for (const std::string name : kBackedUpSecrets) {
      for (const ArchivedFiles::File& file : files.files)
        if (file.name == name)
          GP_CHECK_OK(WriteTextFile(directory_ + "/" + name, file.bytes, 0600));
    }
    return Ok();
  }

 private:
  const std::string directory_;
  std::unique_ptr<SqliteJournal> journal_;
};

std::string WhoRestores(const std::string& state) {
  char host[256] = "";
  IgnoreResult(gethostname(host, sizeof host - 1), "a claim without a host's name says enough");
  return "at " + ToRfc3339(SystemClock().Now()) + " on " + host + ", in " + AbsolutePath(state) +
         ", process " + std::to_string(getpid());
}

Status CheckEmpty(const std::string& state) {
  struct stat there{};
  if (lstat((state + "/journal.db").c_str(), &there) != 0 && errno == ENOENT) return Ok();
  return Fail(Conflict(state + " has a journal: restore on an empty machine, or name another "
                               "directory (--state)"));
}

Status Claim(SealedArchive& archive, const RestoreFromArchive& how, uint64_t lineage) {
  if (how.replace_claim) GP_CHECK_OK(archive.store().Delete(ClaimName(lineage)));
  return ClaimLineage(archive, lineage, WhoRestores(how.state));
}

Status RestoreSecrets(const std::string& state, const ArchivedFiles& files) {
  const auto secrets = GP_TRY(SecretFiles::Open(state + "/secrets"));
  for (const auto& [facts, value] : files.secrets) GP_CHECK_OK(secrets->Set(facts, value));
  return Ok();
}

}  // namespace

Result<RestoredState> RestoreStateFromArchive(const RestoreFromArchive& how,
                                              const DoneWatch& watch) {
  GP_CHECK_OK(CheckEmpty(how.state));
  const auto store = GP_TRY(OpenArchiveStore(how.access));
  SealedArchive archive(*store, GP_TRY(ReadArchiveKey(how.access)));
  GP_CHECK_OK(MakeDirectories(how.state, 0711));
  BackupFromArchive backup(how.state + "/from-archive-" + std::to_string(getpid()));
  const NewJournal new_journal = [&](const Snapshot& after) { return backup.BeginJournal(after); };
  RestoredState restored{
      .archive = GP_TRY(RestoreArchive(archive, how.options, new_journal, watch)), .outcome = {}};
  GP_CHECK_OK(backup.Finish(restored.archive.files));
  GP_CHECK_OK(backup.Check());
  GP_CHECK_OK(RestoreSecrets(how.state, restored.archive.files));
  GP_CHECK_OK(Claim(archive, how, restored.archive.lineage));
  restored.outcome = GP_TRY(Restore(backup.directory(), how.state, {}));
  return restored;
}

}  // namespace gp
