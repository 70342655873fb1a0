#pragma once

// Passes secrets from the agent to a supervisor in memory that has no name in any file system.

#include <string>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

// Errors: kInternal (the kernel does not provide such memory).
Result<Descriptor> PutIntoMemory(const std::vector<std::string>& secrets);
// Errors: kInternal (incomplete).
Result<std::vector<std::string>> ReadFromMemory(const Descriptor& memory);

}  // namespace gp
