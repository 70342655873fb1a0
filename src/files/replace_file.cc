#include "files/replace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace gp {
namespace {

Error SystemError(const std::string& what) { return Internal(what + ": " + std::strerror(errno)); }

Status WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = ENOSPC;
    if (count <= 0) return Fail(SystemError("write"));
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return Ok();
}

Status WriteAside(int directory_fd, const std::string& aside, std::string_view bytes, unsigned mode,
                  Survives survives) {
  const int file =
      openat(directory_fd, aside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
  if (file < 0) return Fail(SystemError("create"));
  Status written = WriteAll(file, bytes);
  if (written && survives == Survives::kPowerCut && fsync(file) != 0)
    written = Fail(SystemError("sync"));
  close(file);
  return written;
}

}  // namespace

Status SyncDirectory(int directory_fd) {
  if (fsync(directory_fd) == 0) return Ok();
  return Fail(SystemError("sync its directory"));
}

Status ReplaceFileAt(int directory_fd, const std::string& name, std::string_view bytes,
                     unsigned mode, Survives survives) {
  const std::string aside = name + ".new";
  Status done = WriteAside(directory_fd, aside, bytes, mode, survives);
  if (done && renameat(directory_fd, aside.c_str(), directory_fd, name.c_str()) != 0) {
    done = Fail(SystemError("rename"));
  }
  if (!done) unlinkat(directory_fd, aside.c_str(), 0);
  if (done && survives == Survives::kPowerCut) done = SyncDirectory(directory_fd);
  if (!done) return Fail(done.error().Within("cannot replace " + name));
  return Ok();
}

Status ReplaceFile(const std::string& path, std::string_view bytes, unsigned mode,
                   Survives survives) {
  const size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return Fail(SystemError("cannot open the directory of " + path));
  const Status replaced = ReplaceFileAt(fd, path.substr(slash + 1), bytes, mode, survives);
  close(fd);
  if (!replaced) return Fail(replaced.error().Within(path));
  return Ok();
}

}  // namespace gp
