#pragma once

// The attempt's own pid namespace with its own /proc, and its own IPC namespace (System V IPC and
// POSIX message queues).  Its init process is ours and lives as long as the attempt: it reaps
// orphans, and when it is killed the kernel kills all others first.

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

struct PrivateProcesses {
  bool has_own_ipc = false;
  pid_t first = 0;        // the init process, by its pid on the host; 0: there is none
  Descriptor first_held;  // a pidfd of it, by which others enter its pid namespace
};

// Sets what was made in `made`, also where a later step fails.  REQUIRES: private mounts were
// entered.  On a host without such namespaces it does nothing and succeeds.
Status EnterPrivateProcesses(const std::string& key, PrivateProcesses& made);

}  // namespace gp
