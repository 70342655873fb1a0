#pragma once

// The map `under_use` of a policy file: the action when the GPUs of jobs of a class are idle
// (docs/use.md).

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "domain/cluster/policy.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {

using UnderUseChange = std::function<void(UnderUsePolicy&)>;

// The changes of the map; what it leaves out does not change.  Problems are added to the report.
std::vector<UnderUseChange> ReadUnderUse(const YamlNode& map, Report& report);

// Each class with its rule, by the name that it has in a file.
std::vector<std::pair<std::string, UnderUseRule>> UnderUseRules(const UnderUsePolicy& policy);

}  // namespace gp
