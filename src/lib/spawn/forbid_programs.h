#pragma once

// Takes from a process that reads what is of unknown origin the calls that only an intruder would
// make there.

#include "base/result.h"

namespace gp {

// For ever, and for all that it forks: the process and its threads cannot run another program, look
// into other processes, change mounts, namespaces or keys of the kernel, or gain rights.  Such
// calls fail with EPERM.  REQUIRES: one thread.  kInternal: the kernel does not do it.
Status ForbidPrograms();

}  // namespace gp
