#include "adapters/outbound/process/old_logs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "supervisor/remove_tree.h"

namespace gp {
namespace {

namespace fs = std::filesystem;

bool IsWrittenSince(const std::string& path, Instant since) {
  struct stat facts {};
  return lstat(path.c_str(), &facts) == 0 && facts.st_mtim.tv_sec >= since.ns / 1'000'000'000;
}

// Of a job: its directories of attempts, and the files in them.
bool IsAnyWrittenSince(const fs::path& job, Instant since) {
  if (IsWrittenSince(job, since)) return true;
  std::error_code error;
  for (fs::recursive_directory_iterator at(job, error), end; !error && at != end; at.increment(error)) {
    if (IsWrittenSince(at->path(), since)) return true;
  }
  return static_cast<bool>(error);  // what cannot be looked at stays
}

}  // namespace

int RemoveOldLogs(const std::string& directory, Instant since, const std::function<bool(JobId)>& is_here) {
  const int fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return 0;
  std::vector<fs::path> jobs;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    if (ParseJobKey(at->path().filename().string())) jobs.push_back(at->path());
  }
  int removed = 0;
  for (const fs::path& job : jobs) {
    const std::string name = job.filename();
    if (IsAnyWrittenSince(job, since) || is_here(*ParseJobKey(name))) continue;
    RemoveTree(fd, name.c_str());
    ++removed;
  }
  close(fd);
  return removed;
}

}  // namespace gp
