#include "adapters/outbound/cgroup/agent_root.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "adapters/outbound/cgroup/cgroup_file.h"
#include "base/ignore_result.h"
#include "base/text.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "gpu-platform-";
constexpr std::string_view kProbe = "probe-";
constexpr size_t kDigestLetters = 13;

Descriptor OpenDirectory(const std::string& path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

// False if it was removed before the lock was obtained.
bool IsStillAt(const std::string& path, int fd) {
  struct stat held{};
  struct stat there{};
  return fstat(fd, &held) == 0 && stat(path.c_str(), &there) == 0 && held.st_ino == there.st_ino &&
         held.st_dev == there.st_dev;
}

bool HasProcesses(const fs::path& path) {
  const auto processes = ReadCgroupFile(path / "cgroup.procs");
  if (!processes || !processes->empty()) return true;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    if (entry.is_directory(error) && HasProcesses(entry.path())) return true;
  }
  return static_cast<bool>(error);
}

// Retries for longer than another agent needs to remove an abandoned root.
bool TryToShare(int fd) {
  constexpr int kTries = 40;
  constexpr useconds_t kPauseUs = 50'000;
  for (int tries = 0; flock(fd, LOCK_SH | LOCK_NB) != 0; ++tries) {
    if ((errno != EWOULDBLOCK && errno != EINTR) || tries == kTries) return false;
    usleep(kPauseUs);
  }
  return true;
}

// The lock on an abandoned root, for as long as the caller keeps it; invalid: it is in use.
Descriptor HoldAbandoned(const std::string& path) {
  Descriptor lock = OpenDirectory(path);
  const bool is_abandoned =
      lock.valid() && flock(lock.get(), LOCK_EX | LOCK_NB) == 0 && !HasProcesses(path);
  return is_abandoned ? std::move(lock) : Descriptor();
}

// Directories that vanish meanwhile are ignored.
void Collect(const fs::path& parent, bool is_deep, std::vector<std::string>& found) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_directory(ignored) || entry->is_symlink(ignored)) continue;
    if (!IsAgentRootName(entry->path().filename())) {
      if (is_deep) Collect(entry->path(), true, found);
    } else if (HoldAbandoned(entry->path()).valid()) {
      found.push_back(entry->path());
    }
  }
}

}  // namespace

Result<AgentRoot> AgentRoot::Hold(const std::string& path) {
  AgentRoot root;
  root.path_ = path;
  const auto trouble = [&](const char* what) {
    return Fail(Internal(std::string(what) + path + ": " + std::strerror(errno)));
  };
  while (true) {
    if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return trouble("cannot create ");
    root.lock_ = OpenDirectory(path);
    if (!root.lock_.valid() && errno == ENOENT) continue;  // another agent removed it as abandoned
    if (!root.lock_.valid()) return trouble("cannot open ");
    if (!TryToShare(root.lock_.get()))
      return trouble("is held by another process: fuser finds it; cannot lock ");
    if (IsStillAt(path, root.lock_.get())) return root;
  }
}

void AgentRoot::RemoveIfUnused() {
  if (lock_.valid() && flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) rmdir(path_.c_str());
  lock_.Reset();
}

bool IsAgentRootName(const std::string& name) {
  if (!name.starts_with(kPrefix)) return false;
  const std::string_view rest = std::string_view(name).substr(kPrefix.size());
  if (rest.starts_with(kProbe)) return ParseCount(rest.substr(kProbe.size())).has_value();
  return rest.size() == kDigestLetters && FromBase32(rest).has_value();
}

std::vector<std::string> AbandonedRootsIn(const std::string& parent) {
  std::vector<std::string> found;
  Collect(parent, false, found);
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> AbandonedRootsBelow(const std::string& top) {
  std::vector<std::string> found;
  Collect(top, true, found);
  std::ranges::sort(found);
  return found;
}

void RemoveAbandonedRoot(const std::string& path) {
  const Descriptor lock = HoldAbandoned(path);
  if (lock.valid()) IgnoreResult(RemoveCgroup(path), "what is left is removed at the next start");
}

}  // namespace gp
