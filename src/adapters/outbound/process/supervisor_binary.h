#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// Below the agent's state directory.
inline constexpr char kProgramDirectory[] = "bin";

// Writes the supervisor that is embedded in this program to `directory`, named by its digest,
// unless it exists; returns its path.  Older versions stay, because attempts may still run them.
Result<std::string> InstallSupervisor(const std::string& directory);

}  // namespace gp
