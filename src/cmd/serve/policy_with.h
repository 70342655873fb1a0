#pragma once

// The policy that a controller starts with.

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"
#include "cmd/cli.h"
#include "domain/cluster/policy.h"

namespace gp {

// Without a file.
Policy BuiltInPolicy();
// With it; empty: without one.  Errors name the file, the line and the column.
Result<Policy> PolicyWith(const std::string& file);
// The XIDs whose rules are milder than the catalogue's: a site may choose that, but not
// unknowingly.
nlohmann::ordered_json MilderRules(const Policy& policy);
// The same, said on standard error.
void SayMilderRules(const Policy& policy, Cli& cli);
// Validates a policy file and lists the XIDs whose rules are milder than the catalogue's.
void CheckPolicyFile(const std::string& file, Cli& cli);

}  // namespace gp
