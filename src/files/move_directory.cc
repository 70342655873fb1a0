#include "files/move_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace gp {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPartial = ".moving";  // an unfinished copy

std::error_code LastError() { return {errno, std::generic_category()}; }

std::error_code CopyMarks(const fs::path& from, const fs::path& to) {
  struct stat info{};
  if (lstat(from.c_str(), &info) != 0) return LastError();
  // Only root may give files to other users; copies by anybody else belong to that user.
  if (lchown(to.c_str(), info.st_uid, info.st_gid) != 0 && errno != EPERM) return LastError();
  if (!S_ISLNK(info.st_mode) && chmod(to.c_str(), info.st_mode & 07777) != 0) return LastError();
  const timespec times[] = {info.st_atim, info.st_mtim};
  return utimensat(AT_FDCWD, to.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0 ? std::error_code()
                                                                          : LastError();
}

std::error_code CopyTree(const fs::path& from, const fs::path& to) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(from, error);
  if (error) return error;
  if (fs::is_directory(status)) {
    fs::create_directory(to, error);
    for (fs::directory_iterator entry(from, error), end; !error && entry != end;
         entry.increment(error)) {
      if (const std::error_code inner = CopyTree(entry->path(), to / entry->path().filename()))
        return inner;
    }
  } else if (fs::is_symlink(status)) {
    fs::copy_symlink(from, to, error);
  } else {
    fs::copy_file(from, to, error);
  }
  return error ? error : CopyMarks(from, to);  // after the content, because that changes the times
}

// Syncs the whole file system: one call in place of one per file.
std::error_code Sync(const fs::path& directory) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return LastError();
  const std::error_code error = syncfs(fd) == 0 ? std::error_code() : LastError();
  close(fd);
  return error;
}

std::error_code MoveByCopy(const fs::path& from, const fs::path& to) {
  const fs::path partial = to.string() + kPartial;
  std::error_code error;
  fs::remove_all(partial, error);
  if (!error) error = CopyTree(from, partial);
  if (!error) error = Sync(partial);
  if (!error) fs::rename(partial, to, error);
  if (!error) error = Sync(to);
  std::error_code ignored;
  if (error) fs::remove_all(partial, ignored);
  if (!error) fs::remove_all(from, error);
  return error;
}

}  // namespace

Status MoveDirectory(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error == std::errc::cross_device_link) error = MoveByCopy(from, to);
  return error ? Fail(Internal("cannot move " + from + " to " + to + ": " + error.message()))
               : Ok();
}

}  // namespace gp
