#include "adapters/outbound/images/pull_directory.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/ignore_result.h"
#include "lib/spawn/run_command.h"

namespace gp {
namespace {

constexpr Duration kDiscardTimeLimit = Duration::Seconds(60);

Error CannotMake(const std::string& path) {
  return Internal("cannot make " + path + ": " + std::strerror(errno));
}

}  // namespace

Result<PullDirectory> PullDirectory::Make(const std::string& above, const std::string& key,
                                          Owner owner, Discard discard) {
  if (mkdir(above.c_str(), 0711) == 0) chmod(above.c_str(), 0711);
  std::string path = above + "/" + key + "-XXXXXX";
  if (mkdtemp(path.data()) == nullptr) return Fail(CannotMake(path));
  PullDirectory directory(path, std::move(discard));
  if (chown(path.c_str(), owner.uid, owner.gid) != 0) return Fail(CannotMake(path));
  return directory;
}

PullDirectory::PullDirectory(PullDirectory&& other) noexcept
    : path_(std::exchange(other.path_, "")), discard_(std::move(other.discard_)) {}

PullDirectory::~PullDirectory() {
  if (!path_.empty()) Remove(path_, discard_, -1);
}

std::vector<std::string> PullDirectory::Left(const std::string& above) {
  std::vector<std::string> paths;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(above, failed), end; !failed && at != end;
       at.increment(failed))
    paths.push_back(at->path());
  return paths;
}

void PullDirectory::Remove(const std::string& path, const Discard& discard, int stop) {
  struct stat facts;
  if (rmdir(path.c_str()) == 0 || lstat(path.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode))
    return;
  IgnoreResult(
      RunCommand(discard(path, {facts.st_uid, facts.st_gid}),
                 {.time_limit = kDiscardTimeLimit, .stop_fd = stop, .has_environment = false}),
      "what stays is removed when the agent starts again");
  IgnoreResult(rmdir(path.c_str()), "the same");
}

}  // namespace gp
