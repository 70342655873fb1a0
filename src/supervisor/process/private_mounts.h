#pragma once

// The attempt's private mounts: its own /tmp, a /dev/shm of a given size, read-only cgroups; or the
// root directory of an image.  The supervisor enters them once; every process of the job inherits
// them.

#include "base/result.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

// Sets `has_own_mounts` once the supervisor has left the host's, also where a later step fails;
// false at the end: only root can.  REQUIRES: the working directory is the attempt's.  Errors:
// kInvalidArgument (by the job's fault).
Status EnterPrivateMounts(const LaunchSpec& spec, bool& has_own_mounts);

}  // namespace gp
