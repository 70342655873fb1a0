#pragma once

// The line that the kernel driver logs for an XID, in addition to the event.

#include <string>

#include "fakes/nvml/world.h"

namespace gp {

// "NVRM: Xid (PCI:0000:53:00): 79, pid=1234, name=python3, <text>".
std::string KernelLine(const MachineGpu& gpu, const FakeCommand& xid);

}  // namespace gp
