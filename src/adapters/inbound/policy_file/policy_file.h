#pragma once

// A policy as people write it (docs/reference/policies.md): a map of names and values, each of
// which replaces one number of the policy, and a map `xids` of rules for single XIDs.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/inbound/job_file/yaml_tree.h"
#include "base/result.h"
#include "domain/cluster/policy.h"

namespace gp {

// Every name that a file may have, in the order of the reference.
std::vector<std::string> PolicyNames();

struct PolicyValue {
  std::string name;
  std::string value;  // as a file would have it
  std::string least;  // that a file may have
  std::string most;
  std::string meaning;
  bool is_of_faults = false;
};
// All numbers and times, in the same order; and those by which faults are judged.
std::vector<PolicyValue> PolicyNumbers(const Policy& policy);
std::vector<PolicyValue> FaultNumbers(const Policy& policy);

// What the file changes.  kInvalidArgument has all that is wrong with it, each with file, line and
// column; kNotFound: there is no such file.
Result<std::function<void(Policy&)>> ReadPolicyFile(const std::string& path);
Result<std::function<void(Policy&)>> DecodePolicy(std::string_view file_name,
                                                  std::string_view text);

// The same of a map within another file.
std::function<void(Policy&)> ReadPolicy(const YamlNode& map, Report& report);

}  // namespace gp
