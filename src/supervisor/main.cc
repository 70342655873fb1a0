// gpu-platform-supervisor KEY [bury]: started by the agent's attempt runner with these descriptors:
// 3 the agent's end of the conversation, 4 the attempt's directory, 5 the locked launch file.

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "supervisor/inherited.h"
#include "supervisor/remove_tree.h"
#include "supervisor/supervisor.h"

int main(int argument_count, char** arguments) {
  if (argument_count < 2 || fcntl(gp::kLockFd, F_GETFD) < 0 || fchdir(gp::kDirectoryFd) != 0) {
    constexpr char kText[] = "gpu-platform-supervisor is started by the gpu-platform agent only\n";
    (void)!write(2, kText, sizeof kText - 1);
    return 2;
  }
  for (const int fd : {gp::kAgentFd, gp::kDirectoryFd, gp::kLockFd}) {
    fcntl(fd, F_SETFD, FD_CLOEXEC);
  }
  // The lock stays with descriptor 5 until we end: it says that somebody looks after the attempt.
  gp::Supervisor supervisor{gp::Descriptor(gp::kAgentFd), gp::Descriptor(gp::kDirectoryFd)};
  if (argument_count > 2 && std::strcmp(arguments[2], gp::kBuryArgument) == 0) {
    supervisor.Bury();
  } else {
    supervisor.Run();
  }
  // The agent knows the end already; clearing a large /tmp must not make it wait.
  gp::RemoveTree(AT_FDCWD, gp::kPrivateTmp);
  _exit(0);  // the kernel closes faster than destructors do
}
