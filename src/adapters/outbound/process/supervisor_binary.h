#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// Writes the supervisor that this program carries to `directory`, named by its digest, unless it is
// there; returns its path.  Older ones stay: attempts may still run them.
Result<std::string> InstallSupervisor(const std::string& directory);

}  // namespace gp
