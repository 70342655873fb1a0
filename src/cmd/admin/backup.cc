#include "cmd/admin/backup.h"

#include <sys/stat.h>

#include <filesystem>

#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "files/move_directory.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

constexpr size_t kFileBytesMax = 64 << 20;
constexpr int kOldAuditsMax = 1'000;
constexpr const char* kSignText =
    "A backup of a gpu-platform controller.  `gpu-platform admin backup` brings it up to date, "
    "`gpu-platform admin restore`\n"
    "makes a state directory of it.  It holds secrets.\n";

// Accepts a new directory, an empty one or a backup; leaves any other directory unchanged.
Status PrepareDirectory(const std::string& directory) {
  std::error_code error;
  const std::string sign = directory + "/" + kBackupSign;
  if (!fs::exists(directory, error) && !error) {
    GP_CHECK_OK(MakeDirectories(directory, 0700));
  } else if (fs::exists(sign, error)) {
    return Ok();
  } else if (!fs::is_empty(directory, error) && !error) {
    return Fail(Conflict(directory + " holds other files: a backup needs a directory of its own"));
  }
  if (error) return Fail(Internal(directory + ": " + error.message()));
  return WriteTextFile(sign, kSignText, 0600);
}

Status CopyFile(const std::string& from, const std::string& to) {
  const std::string text = GP_TRY(ReadTextFile(from, kFileBytesMax));
  return WriteTextFile(to, text, 0600);
}

// The file does not exist where nothing is encrypted.
Status CopyAuthority(const std::string& from, const std::string& to) {
  const Status copied = CopyFile(from, to);
  return !copied && copied.error().code == ErrorCode::kNotFound ? Ok() : copied;
}

// Copies whole lines only: the last one may be incomplete.
Status CopyLines(const std::string& from, const std::string& to) {
  std::string text = GP_TRY(ReadTextFile(from, kFileBytesMax));
  text.resize(text.rfind('\n') + 1);
  return WriteTextFile(to, text, 0600);
}

// Files of the audit only grow. A file smaller than its copy belongs to another audit, begun after
// a loss.
bool IsAnotherAudit(const std::string& from, const std::string& copy) {
  std::error_code error;
  for (const auto& file : fs::directory_iterator(copy, error)) {
    const auto size = fs::file_size(fs::path(from) / file.path().filename(), error);
    if (!error && size < file.file_size()) return true;
  }
  return false;
}

Status KeepOldAudit(const std::string& copy) {
  for (int again = 1; again <= kOldAuditsMax; ++again) {
    const std::string old = copy + ".old." + std::to_string(again);
    std::error_code error;
    if (fs::exists(old, error)) continue;
    return MoveDirectory(copy, old);
  }
  return Fail(Internal("too many of " + copy + ".old.*: remove some"));
}

Status CopyAudit(const std::string& from, const std::string& to) {
  if (IsAnotherAudit(from, to)) GP_CHECK_OK(KeepOldAudit(to));
  std::error_code error;
  fs::directory_iterator files(from, error);
  if (error) return Fail(Internal(from + ": " + error.message()));
  GP_CHECK_OK(MakeDirectories(to, 0700));
  for (const auto& file : files) {
    const std::string copy = to + "/" + file.path().filename().string();
    const auto size = fs::file_size(copy, error);
    if (!error && size == file.file_size(error) && !error) continue;
    GP_CHECK_OK(CopyLines(file.path(), copy));
  }
  return Ok();
}

}  // namespace

Result<JournalCopy> BackUpJournal(const std::string& directory, const JournalPages& pages) {
  GP_CHECK_OK(PrepareDirectory(directory));
  const auto journal = SqliteJournal::Open(directory + "/journal.db");
  if (!journal && journal.error().code == ErrorCode::kUnavailable)
    return Fail(Conflict(directory + ": another backup is being made there"));
  if (!journal) return Fail(journal.error());
  auto copied = CopyJournal(
      **journal, pages, [&](const Snapshot& snapshot) { return (*journal)->GoOnAfter(snapshot); });
  if (!copied) return Fail(copied.error().Within(directory));
  GP_CHECK_OK((*journal)->AcceptLoss());  // the records that it lost are back
  return copied;
}

std::vector<std::string> BackUpFiles(const std::string& directory, const std::string& state) {
  std::vector<std::string> missing;
  const auto note = [&](const Status& copied) {
    if (!copied) missing.push_back(copied.error().message);
  };
  note(CopyAuthority(state + "/" + kBackedUpSecrets[0], directory + "/" + kBackedUpSecrets[0]));
  note(CopyFile(state + "/" + kBackedUpSecrets[1], directory + "/" + kBackedUpSecrets[1]));
  note(CopyAudit(state + "/" + kBackedUpAudit, directory + "/" + kBackedUpAudit));
  return missing;
}

}  // namespace gp
