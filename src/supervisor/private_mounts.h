#pragma once

// The attempt's own view of the file system: /tmp of its own, /dev/shm of a given size, cgroups
// read-only.  The supervisor enters it once; every process of the job inherits it.

#include "base/result.h"
#include "ports/outbound/attempt_runner.h"
#include "supervisor/descriptor.h"

namespace gp {

// REQUIRES: the working directory is the attempt's.  Returns the namespace that was left, for hooks
// (none where nothing was done: only root can).
Result<Descriptor> EnterPrivateMounts(const LaunchSpec& spec);

}  // namespace gp
