#pragma once

// A fixed MIG layout of a GPU that its administrator configured: only those instances are created,
// at those placements.

#include <string>
#include <vector>

#include "base/result.h"
#include "domain/model/nodes/mig.h"

namespace gp {

// Reduces the table to one instance for each name in `profiles`, at placements that do not overlap.
// Errors: kInvalidArgument (the GPU has no such profile, or the instances do not fit together).
Result<MigTable> ConfineTo(const MigTable& table, const std::vector<std::string>& profiles);

}  // namespace gp
