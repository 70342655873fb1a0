#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// Marks the state directory of a controller whose log is shared.  Were it started as the only
// controller, two would decide for one cluster, with the same numbers.
Status MarkShared(const std::string& state_directory, const std::string& cluster);
// kConflict: the state directory is that of one of several controllers, with the fix.
Status CheckNotShared(const std::string& state_directory);

}  // namespace gp
