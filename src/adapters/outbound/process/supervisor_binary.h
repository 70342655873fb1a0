#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// Writes the supervisor that is embedded in this program to `directory`, named by its digest,
// unless it exists; returns its path.  Older versions stay, because attempts may still run them.
Result<std::string> InstallSupervisor(const std::string& directory);

}  // namespace gp
