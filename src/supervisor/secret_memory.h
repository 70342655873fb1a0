#pragma once

// Secrets on their way from the agent to a supervisor: in memory that has no name in any file
// system.

#include <string>
#include <vector>

#include "base/result.h"
#include "supervisor/descriptor.h"

namespace gp {

// kInternal: the kernel gives no such memory.
Result<Descriptor> PutIntoMemory(const std::vector<std::string>& secrets);
// kInternal: it is not all there.
Result<std::vector<std::string>> ReadFromMemory(const Descriptor& memory);

}  // namespace gp
