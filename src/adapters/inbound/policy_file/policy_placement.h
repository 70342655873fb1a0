#pragma once

// The map `placement` of a policy file: placement weights of pools, each by its name or "*", with
// the terms of docs/reference/placement_score.md.

#include "domain/model/nodes/placement_weights.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {

// A cost that a map leaves out has weight 0.  Problems are added to the report.
WeightsByPool ReadPlacement(const YamlNode& map, Report& report);

}  // namespace gp
