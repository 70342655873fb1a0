#pragma once

// The attempt's own view of the file system: /tmp of its own, /dev/shm of a given size, cgroups
// read-only.  The supervisor enters it once; every process of the job inherits it.

#include "base/result.h"
#include "ports/outbound/attempt_runner.h"
#include "supervisor/descriptor.h"

namespace gp {

// What was left, for hooks; nothing where nothing was done (only root can).
struct HostMounts {
  Descriptor mounts;
  Descriptor root;  // entering the namespace alone would lead out of a chroot
};

// REQUIRES: the working directory is the attempt's.
Result<HostMounts> EnterPrivateMounts(const LaunchSpec& spec);

}  // namespace gp
