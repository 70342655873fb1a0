#include "tests/support/file_faults/file_faults.h"

#include <signal.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <set>

#include "tests/support/file_faults/raw_files.h"
#include "tests/support/file_faults/unsynced.h"

namespace gp {
namespace {

constinit std::atomic<bool> is_watching = false;  // calls are made before any constructor runs

struct Shim {
  std::mutex mutex;
  std::string directory;
  FilePlan plan;
  std::vector<FileCall> calls;
  Unsynced unsynced;
  std::set<int> synchronous;  // descriptors: what is written to them is on the disk at once
};

Shim& TheShim() {
  static Shim* const shim = new Shim;  // and after every destructor
  return *shim;
}

[[noreturn]] void Die() {
  while (true) syscall(SYS_kill, getpid(), SIGKILL);
}

std::string LinkOf(const std::string& link) {
  char path[4096];
  const ssize_t size = readlink(link.c_str(), path, sizeof path);
  return size < 0 ? "" : std::string(path, static_cast<size_t>(size));
}

std::string PathOf(int fd) { return LinkOf("/proc/self/fd/" + std::to_string(fd)); }

std::string PathAt(int directory, const char* name) {
  if (name[0] == '/') return name;
  std::string base = directory == AT_FDCWD ? LinkOf("/proc/self/cwd") : PathOf(directory);
  return base + "/" + name;
}

bool IsWatched(const std::string& path) {
  const std::string& directory = TheShim().directory;
  return path.starts_with(directory) &&
         (path.size() == directory.size() || path[directory.size()] == '/');
}

bool NeedsRoom(FileCall call) {
  return call == FileCall::kCreate || call == FileCall::kWrite || call == FileCall::kTruncate ||
         call == FileCall::kRename;
}

enum class Way { kGoOn, kTear, kCut, kFail };

// Counts the call and says what becomes of it.
Way Pass(Shim& shim, FileCall call) {
  const FilePlan& plan = shim.plan;
  if (call == FileCall::kRead && !plan.counts_reads) return Way::kGoOn;
  const uint64_t number = shim.calls.size();
  shim.calls.push_back(call);
  const bool is_it =
      number == plan.at || (number > plan.at && plan.fault == FilePlan::Fault::kFailOn);
  if (!is_it) return Way::kGoOn;
  switch (plan.fault) {
    case FilePlan::Fault::kNone:
    case FilePlan::Fault::kNoDirect: return Way::kGoOn;
    case FilePlan::Fault::kTear:
      if (call == FileCall::kWrite) return Way::kTear;
      Die();
    case FilePlan::Fault::kLosePower:
      if (call == FileCall::kWrite) return Way::kCut;
      shim.unsynced.Lose(plan.seed);
      Die();
    case FilePlan::Fault::kKill: Die();
    default:
      if (plan.error == ENOSPC && !NeedsRoom(call)) return Way::kGoOn;
      errno = plan.error;
      return Way::kFail;
  }
}

// What a call does, with the shim's lock held: before it is made `note` learns of it.
template <typename Note, typename Call>
auto Through(FileCall kind, const std::string& path, Note note, Call call) -> decltype(call()) {
  if (!is_watching || !IsWatched(path)) return call();
  Shim& shim = TheShim();
  const std::lock_guard lock(shim.mutex);
  if (Pass(shim, kind) == Way::kFail) return -1;
  if (shim.plan.fault == FilePlan::Fault::kLosePower) note(shim.unsynced);
  return call();
}

constexpr auto kNothing = [](Unsynced&) {};

constexpr size_t kSector = 512;

// Such a write may be on the disk in part when the power goes: some of its sectors.
void WriteSectors(Shim& shim, int fd, const std::string& path, std::string_view bytes, off_t at) {
  while (!bytes.empty()) {
    const std::string_view sector = bytes.substr(0, kSector);
    shim.unsynced.Write(fd, path, at, sector.data(), sector.size());
    (void)RawPwrite(fd, sector.data(), sector.size(), at);
    bytes.remove_prefix(sector.size());
    at += static_cast<off_t>(sector.size());
  }
}

ssize_t WatchedWrite(int fd, const std::string& path, const void* bytes, size_t size, off_t at) {
  Shim& shim = TheShim();
  const std::lock_guard lock(shim.mutex);
  const bool is_synchronous = shim.synchronous.contains(fd);
  if (is_synchronous && shim.plan.fault == FilePlan::Fault::kNoDirect &&
      shim.calls.size() >= shim.plan.at) {
    errno = EINVAL;
    return -1;
  }
  const Way way = Pass(shim, FileCall::kWrite);
  if (way == Way::kFail) return -1;
  if (way == Way::kTear) {
    (void)RawPwrite(fd, bytes, size / 2, at);
    Die();
  }
  if (way == Way::kCut) {
    if (is_synchronous) WriteSectors(shim, fd, path, {static_cast<const char*>(bytes), size}, at);
    shim.unsynced.Lose(shim.plan.seed);
    Die();
  }
  if (shim.plan.fault == FilePlan::Fault::kLosePower && !is_synchronous)
    shim.unsynced.Write(fd, path, at, bytes, size);
  return RawPwrite(fd, bytes, size, at);
}

// The disk is not waited for: whether writes are synchronous only the shim knows.
int OpenWatched(int directory, const char* name, int flags, mode_t mode) {
  const int fd =
      static_cast<int>(syscall(SYS_openat, directory, name, flags & ~(O_DIRECT | O_DSYNC), mode));
  if ((flags & O_DSYNC) != 0) {
    TheShim().synchronous.insert(fd);
  } else {
    TheShim().synchronous.erase(fd);
  }
  return fd;
}

int OpenAt(int directory, const char* name, int flags, mode_t mode) {
  if (!is_watching) return static_cast<int>(syscall(SYS_openat, directory, name, flags, mode));
  const std::string path = PathAt(directory, name);
  const auto call = [&] {
    return IsWatched(path) ? OpenWatched(directory, name, flags, mode)
                           : static_cast<int>(syscall(SYS_openat, directory, name, flags, mode));
  };
  if ((flags & O_CREAT) != 0 && !RawExists(path)) {
    return Through(
        FileCall::kCreate, path, [&](Unsynced& unsynced) { unsynced.Create(path); }, call);
  }
  if ((flags & O_TRUNC) == 0) return Through(FileCall::kRead, path, kNothing, call);
  const auto note = [&](Unsynced& unsynced) {
    const int fd = RawOpen(path, O_RDONLY);
    unsynced.Truncate(fd, path, 0);
    close(fd);
  };
  return Through(FileCall::kTruncate, path, note, call);
}

int Sync(int fd) {
  if (!is_watching) return static_cast<int>(syscall(SYS_fdatasync, fd));
  const std::string path = PathOf(fd);
  if (!IsWatched(path)) return static_cast<int>(syscall(SYS_fdatasync, fd));
  return Through(
      FileCall::kSync, path, [&](Unsynced& unsynced) { unsynced.Sync(path); }, [] { return 0; });
}

int Truncate(int fd, off_t size) {
  const std::string path = is_watching ? PathOf(fd) : "";
  return Through(
      FileCall::kTruncate, path, [&](Unsynced& unsynced) { unsynced.Truncate(fd, path, size); },
      [&] { return RawTruncate(fd, size); });
}

}  // namespace

void WatchFiles(const std::string& directory, const FilePlan& plan) {
  Shim& shim = TheShim();
  const std::lock_guard lock(shim.mutex);
  shim.directory = directory;
  shim.plan = plan;
  shim.calls.clear();
  shim.unsynced.Clear();
  is_watching = !directory.empty();
}

void LoseUnsynced() {
  Shim& shim = TheShim();
  const std::lock_guard lock(shim.mutex);
  shim.unsynced.Lose(0);
}

std::vector<FileCall> WatchedCalls() {
  Shim& shim = TheShim();
  const std::lock_guard lock(shim.mutex);
  return shim.calls;
}

}  // namespace gp

// The C library's names.  Their prototypes are the system's own.
using namespace gp;

extern "C" {

ssize_t pwrite(int fd, const void* bytes, size_t size, off_t at) {
  if (!is_watching) return RawPwrite(fd, bytes, size, at);
  const std::string path = PathOf(fd);
  return IsWatched(path) ? WatchedWrite(fd, path, bytes, size, at) : RawPwrite(fd, bytes, size, at);
}
ssize_t pwrite64(int fd, const void* bytes, size_t size, off64_t at) {
  return pwrite(fd, bytes, size, at);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  const std::string path = is_watching ? PathOf(fd) : "";
  if (!is_watching || !IsWatched(path)) return syscall(SYS_write, fd, bytes, size);
  const off_t at = lseek(fd, 0, (fcntl(fd, F_GETFL) & O_APPEND) != 0 ? SEEK_END : SEEK_CUR);
  const ssize_t count = WatchedWrite(fd, path, bytes, size, at);
  if (count > 0) lseek(fd, at + count, SEEK_SET);
  return count;
}

ssize_t pread(int fd, void* bytes, size_t size, off_t at) {
  const std::string path = is_watching ? PathOf(fd) : "";
  return Through(FileCall::kRead, path, kNothing, [&] { return RawPread(fd, bytes, size, at); });
}
ssize_t pread64(int fd, void* bytes, size_t size, off64_t at) { return pread(fd, bytes, size, at); }
ssize_t read(int fd, void* bytes, size_t size) {
  const std::string path = is_watching ? PathOf(fd) : "";
  return Through(FileCall::kRead, path, kNothing,
                 [&]() -> ssize_t { return syscall(SYS_read, fd, bytes, size); });
}

int fsync(int fd) { return Sync(fd); }
int fdatasync(int fd) { return Sync(fd); }

int ftruncate(int fd, off_t size) noexcept { return Truncate(fd, size); }
int ftruncate64(int fd, off64_t size) noexcept { return Truncate(fd, size); }
int fallocate(int fd, int mode, off_t at, off_t size) {
  const std::string path = is_watching ? PathOf(fd) : "";
  const auto note = [&](Unsynced& unsynced) {
    if (at + size > SizeOf(fd)) unsynced.Truncate(fd, path, at + size);
  };
  return Through(FileCall::kTruncate, path, note,
                 [&] { return static_cast<int>(syscall(SYS_fallocate, fd, mode, at, size)); });
}

// Without O_CREAT nobody passes a mode; what is read then is not used.
int openat(int directory, const char* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return OpenAt(directory, name, flags, mode);
}
int open(const char* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return OpenAt(AT_FDCWD, name, flags, mode);
}
int open64(const char* name, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return OpenAt(AT_FDCWD, name, flags, mode);
}

int renameat(int from_directory, const char* from, int to_directory, const char* to) noexcept {
  const std::string old_path = is_watching ? PathAt(from_directory, from) : "";
  const std::string new_path = is_watching ? PathAt(to_directory, to) : "";
  return Through(
      FileCall::kRename, new_path, [&](Unsynced& unsynced) { unsynced.Rename(old_path, new_path); },
      [&] {
        return static_cast<int>(syscall(SYS_renameat, from_directory, from, to_directory, to));
      });
}
int rename(const char* from, const char* to) noexcept {
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int unlinkat(int directory, const char* name, int flags) noexcept {
  const std::string path = is_watching ? PathAt(directory, name) : "";
  return Through(
      FileCall::kRemove, path, [&](Unsynced& unsynced) { unsynced.Remove(path); },
      [&] { return static_cast<int>(syscall(SYS_unlinkat, directory, name, flags)); });
}
int unlink(const char* name) noexcept { return unlinkat(AT_FDCWD, name, 0); }

int mkdirat(int directory, const char* name, mode_t mode) noexcept {
  const std::string path = is_watching ? PathAt(directory, name) : "";
  return Through(
      FileCall::kCreate, path, [&](Unsynced& unsynced) { unsynced.Create(path); },
      [&] { return static_cast<int>(syscall(SYS_mkdirat, directory, name, mode)); });
}
int mkdir(const char* name, mode_t mode) noexcept { return mkdirat(AT_FDCWD, name, mode); }

}  // extern "C"
