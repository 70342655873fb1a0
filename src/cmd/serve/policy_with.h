#pragma once

// The policy that a controller starts with.

#include <string>

#include "base/result.h"
#include "cmd/cli.h"
#include "domain/cluster/policy.h"

namespace gp {

// Without a file.
Policy BuiltInPolicy();
// With it; empty: without one.  Errors name the file, the line and the column.
Result<Policy> PolicyWith(const std::string& file);
// Validates a policy file and lists the XIDs whose rules are milder than the catalogue's.
void CheckPolicyFile(const std::string& file, Cli& cli);

}  // namespace gp
