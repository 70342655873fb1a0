#include "adapters/outbound/process/attempt_directory.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "supervisor/files/remove_tree.h"

namespace gp {

Result<AttemptDirectory> AttemptDirectory::Make(int attempts_fd, const std::string& key) {
  if (mkdirat(attempts_fd, key.c_str(), 0700) != 0) {
    if (errno == EEXIST) return Fail(Conflict("attempt " + key + " exists already"));
    return Fail(SystemError("cannot create the directory of attempt " + key, errno));
  }
  return Open(attempts_fd, key);
}

Result<AttemptDirectory> AttemptDirectory::Open(int attempts_fd, const std::string& key) {
  AttemptDirectory attempt;
  attempt.directory_.Reset(
      openat(attempts_fd, key.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (attempt.directory_.valid()) return attempt;
  return Fail(SystemError("cannot open the directory of attempt " + key, errno));
}

Result<Descriptor> AttemptDirectory::WriteLaunch(const LaunchRecord& record) {
  Descriptor file(openat(fd(), kLaunchFile, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.valid()) return Fail(SystemError("cannot create the launch file", errno));
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return Fail(SystemError("cannot lock the launch file", errno));
  }
  const std::string bytes = EncodeLaunch(record);
  const ssize_t count = write(file.get(), bytes.data(), bytes.size());
  if (count != static_cast<ssize_t>(bytes.size())) {
    return Fail(SystemError("cannot write the launch file", count < 0 ? errno : ENOSPC));
  }
  return file;
}

Result<LaunchRecord> AttemptDirectory::ReadLaunch() const {
  const std::string bytes = GP_TRY(ReadFileAt(fd(), kLaunchFile));
  return DecodeLaunch(bytes);
}

std::optional<AttemptStatus> AttemptDirectory::ReadStatus() const {
  const Result<std::string> bytes = ReadFileAt(fd(), kStatusFile);
  if (!bytes.has_value()) return std::nullopt;
  Result<AttemptStatus> status = DecodeStatus(*bytes);
  if (!status.has_value()) return std::nullopt;
  return std::move(*status);
}

std::optional<Descriptor> AttemptDirectory::TryLock() const {
  Descriptor file(openat(fd(), kLaunchFile, O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid() || flock(file.get(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  return file;
}

bool AttemptDirectory::IsHeld() const {
  const Descriptor file(openat(fd(), kLaunchFile, O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  return file.valid() && flock(file.get(), LOCK_EX | LOCK_NB) != 0;
}

std::optional<Descriptor> AttemptDirectory::Connect() const {
  Descriptor connection(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  // Connects through the descriptor: the real path may be too long for a socket's name.
  std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", fd(),
                kControlSocket);
  if (!connection.valid() ||
      connect(connection.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return std::nullopt;
  }
  return connection;
}

void RemoveAttempt(int attempts_fd, const std::string& key) {
  // Almost always nothing else is left, and then it need not be read.
  for (const char* file : {kStatusFile, kControlSocket, kLaunchFile})
    unlinkat(attempts_fd, (key + "/" + file).c_str(), 0);
  if (unlinkat(attempts_fd, key.c_str(), AT_REMOVEDIR) != 0) RemoveTree(attempts_fd, key.c_str());
}

std::vector<std::string> ListAttempts(int attempts_fd) {
  std::vector<std::string> keys;
  DIR* directory = fdopendir(openat(attempts_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory == nullptr) return keys;
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] != '.') keys.emplace_back(entry->d_name);
  }
  closedir(directory);
  std::ranges::sort(keys);
  return keys;
}

}  // namespace gp
