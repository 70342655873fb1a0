#pragma once

// The map `under_use` of a policy file: what follows when the GPUs of jobs of a class are idle
// (docs/use.md).

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/inbound/job_file/yaml_tree.h"
#include "domain/cluster/policy.h"

namespace gp {

using UnderUseChange = std::function<void(UnderUsePolicy&)>;

// What a map leaves out stays as it is.  What is wrong is added to the report.
std::vector<UnderUseChange> ReadUnderUse(const YamlNode& map, Report& report);

// Each class with its rule, as a file would name it.
std::vector<std::pair<std::string, UnderUseRule>> UnderUseRules(const UnderUsePolicy& policy);

}  // namespace gp
