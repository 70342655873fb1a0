#pragma once

// The attempt's own numbering of processes, with a /proc of it, and its own System V and POSIX
// message queues, semaphores and shared memory.  A first process of ours lives in it for as long as
// the attempt does: it takes orphans away, and when it is killed the kernel kills all others first.

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "supervisor/descriptor.h"

namespace gp {

struct PrivateProcesses {
  Descriptor pids;       // namespace of whoever belongs to the job; none: the host's
  Descriptor host_pids;  // of hooks and of what looks at the job from outside
  Descriptor host_ipc;
  pid_t first = 0;  // in our numbering
};

// REQUIRES: private mounts were entered.  A host that has no such namespaces: nothing is done, and
// nothing fails.
Result<PrivateProcesses> EnterPrivateProcesses(const std::string& key);

}  // namespace gp
