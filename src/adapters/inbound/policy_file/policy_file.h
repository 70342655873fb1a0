#pragma once

// The policy file (docs/reference/policies.md): a map of names and values, each of which replaces
// one number of the policy, and maps such as `xids` for rules and prices.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/cluster/policy.h"
#include "domain/faults/xid.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {

// Every name that a file may have: the numbers, then the maps.
std::vector<std::string> PolicyNames();

// One number of a policy as text, with its allowed range and its meaning.
struct PolicyValue {
  std::string name;
  std::string value;  // as written in a file
  std::string least;  // the lowest value that a file may have
  std::string most;   // the highest
  std::string meaning;
  bool is_of_faults = false;
};
// All numbers and times, in the same order; FaultNumbers: only those of FaultPolicy.
std::vector<PolicyValue> PolicyNumbers(const Policy& policy);
std::vector<PolicyValue> FaultNumbers(const Policy& policy);

using XidCatalogueRules = std::map<int, XidRule>;

// The change that the file makes to a policy.  `catalogue` has the words that a rule for an XID
// leaves out.  kInvalidArgument lists all problems, each with file, line and column; kNotFound:
// there is no such file.
Result<std::function<void(Policy&)>> ReadPolicyFile(const std::string& path,
                                                    const XidCatalogueRules& catalogue);
Result<std::function<void(Policy&)>> DecodePolicy(std::string_view file_name, std::string_view text,
                                                  const XidCatalogueRules& catalogue);

// The same for a map within another file.
std::function<void(Policy&)> ReadPolicy(const YamlNode& map, const XidCatalogueRules& catalogue,
                                        Report& report);

}  // namespace gp
