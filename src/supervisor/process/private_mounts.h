#pragma once

// The attempt's private mounts: its own /tmp, a /dev/shm of a given size, read-only cgroups.  The
// supervisor enters them once; every process of the job inherits them.

#include "base/result.h"
#include "ports/outbound/attempt_runner.h"
#include "supervisor/descriptor.h"

namespace gp {

// The host's mounts, for hooks; invalid if no private mounts were made (only root can).
struct HostMounts {
  Descriptor mounts;
  Descriptor root;  // entering the namespace alone would lead out of a chroot
};

// REQUIRES: the working directory is the attempt's.
Result<HostMounts> EnterPrivateMounts(const LaunchSpec& spec);

}  // namespace gp
