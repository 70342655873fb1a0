#pragma once

// The map `placement` of a policy file: what pools want of places, each by its name or "*", in the
// words of docs/reference/placement_score.md.

#include "adapters/inbound/job_file/yaml_tree.h"
#include "domain/model/placement_weights.h"

namespace gp {

// What a map leaves out weighs nothing.  What is wrong is added to the report.
WeightsByPool ReadPlacement(const YamlNode& map, Report& report);

}  // namespace gp
