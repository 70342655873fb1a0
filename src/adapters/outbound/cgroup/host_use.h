#pragma once

// The usage that the kernel has counted for the cgroups of an attempt.

#include "ports/outbound/device_isolation.h"

namespace gp {

HostUse ReadHostUse(const CgroupPaths& paths);

}  // namespace gp
