#pragma once

// The attempt's own pid namespace with its own /proc, and its own IPC namespace (System V IPC and
// POSIX message queues).  Its init process is ours and lives as long as the attempt: it reaps
// orphans, and when it is killed the kernel kills all others first.

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "supervisor/descriptor.h"

namespace gp {

struct PrivateProcesses {
  Descriptor pids;       // namespace of the job's processes; invalid: the host's
  Descriptor host_pids;  // for hooks and checks, which run outside
  Descriptor host_ipc;
  pid_t first = 0;  // the init process, by its pid on the host
};

// REQUIRES: private mounts were entered.  On a host without such namespaces it does nothing and
// succeeds.
Result<PrivateProcesses> EnterPrivateProcesses(const std::string& key);

}  // namespace gp
