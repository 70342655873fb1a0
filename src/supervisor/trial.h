#pragma once

// Tries on this host what some jobs need, with the code that jobs need it from.

#include <string>

#include "base/result.h"

namespace gp {

// `feature`: as named in domain/model/nodes/features.h.  `directory`: on the file system that holds
// attempts; nothing stays there.  The process is not of use afterwards.  Errors: what is missing.
Status TryFeature(const std::string& feature, const std::string& directory);

}  // namespace gp
