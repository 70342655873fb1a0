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
  pid_t first = 0;        // the init process, by its pid on the host; 0: there is none
  Descriptor first_held;  // a pidfd of it, by which others enter its pid namespace
};

// REQUIRES: private mounts were entered.  On a host without such namespaces it does nothing and
// succeeds.
Result<PrivateProcesses> EnterPrivateProcesses(const std::string& key);

}  // namespace gp
