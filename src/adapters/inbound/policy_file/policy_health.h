#pragma once

// The map `health` of a policy file: what follows from single findings in a GPU's readings.

#include "adapters/inbound/job_file/yaml_tree.h"
#include "domain/faults/health.h"

namespace gp {

// Of findings that a map leaves out, what is built in stays.  What is wrong is added to the report.
HealthTable ReadHealthRules(const YamlNode& map, Report& report);

}  // namespace gp
