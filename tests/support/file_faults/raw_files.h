#pragma once

// Calls to the kernel past the C library's names, for those who stand behind these names
// themselves.

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string>

namespace gp {

inline int RawOpen(const std::string& path, int flags, mode_t mode = 0600) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.c_str(), flags | O_CLOEXEC, mode));
}
inline ssize_t RawPread(int fd, void* bytes, size_t size, off_t at) {
  return syscall(SYS_pread64, fd, bytes, size, at);
}
inline ssize_t RawPwrite(int fd, const void* bytes, size_t size, off_t at) {
  return syscall(SYS_pwrite64, fd, bytes, size, at);
}
inline int RawTruncate(int fd, off_t size) {
  return static_cast<int>(syscall(SYS_ftruncate, fd, size));
}
inline int RawRename(const std::string& from, const std::string& to) {
  return static_cast<int>(syscall(SYS_renameat, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str()));
}
inline int RawRemove(const std::string& path, int flags = 0) {
  return static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path.c_str(), flags));
}
inline bool RawExists(const std::string& path) {
  return syscall(SYS_faccessat, AT_FDCWD, path.c_str(), F_OK) == 0;
}
inline off_t SizeOf(int fd) {
  struct stat facts = {};
  return fstat(fd, &facts) == 0 ? facts.st_size : 0;
}
// At most `size` bytes of what is there.
inline std::string RawRead(int fd, off_t at, size_t size) {
  std::string bytes(size, '\0');
  const ssize_t count = RawPread(fd, bytes.data(), size, at);
  bytes.resize(count < 0 ? 0 : static_cast<size_t>(count));
  return bytes;
}

}  // namespace gp
