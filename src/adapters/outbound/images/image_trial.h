#pragma once

// Whether this host can unpack layers of images.

#include <string>

#include "base/result.h"

namespace gp {

// Unpacks a small layer into this empty directory, confined as for a job's; the process is good for
// nothing else afterwards.  Errors: what the host lacks.
Status TryUnpacking(const std::string& directory);

}  // namespace gp
