#pragma once

// The map `health` of a policy file: the action for each finding in a GPU's readings.

#include "domain/faults/health.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {

// The rules of the map; findings that it leaves out keep the built-in action.  Problems are added
// to the report.
HealthTable ReadHealthRules(const YamlNode& map, Report& report);

}  // namespace gp
