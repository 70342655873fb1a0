#include "cmd/backup.h"

#include <filesystem>

#include "adapters/outbound/sqlite/sqlite_journal.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

constexpr size_t kFileBytesMax = 64 << 20;

// A new directory, an empty one, or a backup.
Status PrepareDirectory(const std::string& directory) {
  GP_CHECK_OK(MakeDirectories(directory, 0700));
  std::error_code error;
  const bool is_backup = std::filesystem::exists(directory + "/journal.db", error);
  const bool is_empty = std::filesystem::is_empty(directory, error);
  if (error) return Fail(Internal(directory + ": " + error.message()));
  if (is_backup || is_empty) return Ok();
  return Fail(Conflict(directory + " holds other files: a backup wants a directory of its own"));
}

Status CopyFile(const std::string& from, const std::string& to) {
  const std::string text = GP_TRY(ReadTextFile(from, kFileBytesMax));
  return WriteTextFile(to, text, 0600);
}

Status CopySecret(const std::string& from, const std::string& to) {
  const Status copied = CopyFile(from, to);
  const bool has_none = !copied && copied.error().code == ErrorCode::kNotFound;  // no authority where nothing is encrypted
  return has_none ? Ok() : copied;
}

// Whole lines only: the last may be on its way.
Status CopyLines(const std::string& from, const std::string& to) {
  std::string text = GP_TRY(ReadTextFile(from, kFileBytesMax));
  text.resize(text.rfind('\n') + 1);
  return WriteTextFile(to, text, 0600);
}

// Files of the audit only grow: those of the same size are the same.
Status CopyAudit(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::directory_iterator files(from, error);
  if (error == std::errc::no_such_file_or_directory) return Ok();
  if (error) return Fail(Internal(from + ": " + error.message()));
  GP_CHECK_OK(MakeDirectories(to, 0700));
  for (const auto& file : files) {
    const std::string copy = to + "/" + file.path().filename().string();
    const auto size = std::filesystem::file_size(copy, error);
    if (!error && size == file.file_size(error) && !error) continue;
    GP_CHECK_OK(CopyLines(file.path(), copy));
  }
  return Ok();
}

}  // namespace

Result<JournalCopy> BackUpJournal(const std::string& directory, const JournalPages& pages) {
  GP_CHECK_OK(PrepareDirectory(directory));
  const auto journal = GP_TRY(SqliteJournal::Open(directory + "/journal.db"));
  GP_CHECK_OK(journal->AcceptLoss());  // what it had and lost comes again
  auto copied = CopyJournal(*journal, pages, [&](const Snapshot& snapshot) { return journal->GoOnAfter(snapshot); });
  return copied ? copied : Fail(copied.error().Within(directory));
}

std::vector<std::string> BackUpFiles(const std::string& directory, const std::string& state) {
  std::vector<std::string> missing;
  const auto note = [&](const Status& copied) {
    if (!copied) missing.push_back(copied.error().message);
  };
  for (const std::string name : kBackedUpSecrets) note(CopySecret(state + "/" + name, directory + "/" + name));
  note(CopyAudit(state + "/" + kBackedUpAudit, directory + "/" + kBackedUpAudit));
  return missing;
}

}  // namespace gp
