// gpu-platform-nursery: started by the agent's attempt runner with its end of a conversation as
// descriptor 3.  It forks a supervisor for every attempt, on request.

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "base/ignore_result.h"
#include "supervisor/files/remove_tree.h"
#include "supervisor/process/fork_server.h"
#include "supervisor/process/host.h"
#include "supervisor/process/process_title.h"
#include "supervisor/supervisor.h"
#include "supervisor/trial.h"

namespace {

// --try FEATURE DIRECTORY: prints what is missing, and ends with 1, or 0 where nothing is.
int Try(const char* feature, const char* directory) {
  gp::TheHost();
  const gp::Status tried = gp::TryFeature(feature, directory);
  if (tried.has_value()) return 0;
  const std::string& why = tried.error().message;
  gp::IgnoreResult(write(1, why.data(), why.size()), "the exit code tells it too");
  return 1;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count == 4 && std::strcmp(arguments[1], "--try") == 0)
    return Try(arguments[2], arguments[3]);
  if (fcntl(gp::kForkServerFd, F_SETFD, FD_CLOEXEC) != 0) {
    constexpr char kText[] = "gpu-platform-supervisor is started by the gpu-platform agent only\n";
    gp::IgnoreResult(write(2, kText, sizeof kText - 1), "nobody reads it any more");
    return 2;
  }
  const char* last = arguments[argument_count - 1];
  gp::KeepTitle(arguments[0], static_cast<size_t>(last + std::strlen(last) + 1 - arguments[0]));
  gp::TheHost();  // opened once for all supervisors
  std::optional<gp::Spawned> spawned = gp::RunForkServer(gp::Descriptor(gp::kForkServerFd));
  if (!spawned.has_value()) return 0;
  if (fchdir(spawned->directory.get()) != 0) return 2;
  // It stays reachable when the supervisor has entered the root of an image.
  const gp::Descriptor directory(fcntl(spawned->directory.get(), F_DUPFD_CLOEXEC, 3));
  // The lock is held until this process ends: it shows that the attempt has a supervisor.
  gp::Supervisor supervisor{std::move(spawned->agent), std::move(spawned->directory),
                            std::move(spawned->secrets)};
  if (spawned->request.only_clean_up) {
    supervisor.Bury();
  } else {
    supervisor.Run();
  }
  // After the final status, so that the agent does not wait for the removal of large files.
  gp::RemoveTree(directory.get(), gp::kPrivateTmp);
  gp::RemoveTree(directory.get(), gp::kRootDirectory);
  _exit(0);  // the kernel closes faster than destructors do
}
