#pragma once

// The policy with which a controller begins.

#include <string>

#include "base/result.h"
#include "cmd/cli.h"
#include "domain/cluster/policy.h"

namespace gp {

// Without a file.
Policy BuiltInPolicy();
// With it; empty: without one.  Errors name the file, the line and the column.
Result<Policy> PolicyWith(const std::string& file);
// Tells whether the file is sound, and which XIDs it takes less seriously than the catalogue.
void CheckPolicyFile(const std::string& file, Cli& cli);

}  // namespace gp
