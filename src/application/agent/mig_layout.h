#pragma once

// A fixed division of a GPU, as its administrator names it: only those instances are given, and
// only there.

#include <string>
#include <vector>

#include "base/result.h"
#include "domain/model/mig.h"

namespace gp {

// The table without all else: instances of these profiles, one for each time that a name stands
// there, beside each other.  kInvalidArgument: the GPU has no such profile, or they do not fit on
// it together.
Result<MigTable> ConfineTo(const MigTable& table, const std::vector<std::string>& profiles);

}  // namespace gp
