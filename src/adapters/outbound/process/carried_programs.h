#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// Below the agent's state directory.
inline constexpr char kProgramDirectory[] = "bin";

// The programs that this one carries are written once, under names with their digests.  Older
// versions stay, because attempts may still run them.

// Writes the supervisor to `directory` and returns its path.
Result<std::string> InstallSupervisor(const std::string& directory);

// Writes gpu-platform-rsh to a directory of its own below `directory`, for every user to execute,
// and returns the path of its own directory.
Result<std::string> InstallRsh(const std::string& directory);

}  // namespace gp
