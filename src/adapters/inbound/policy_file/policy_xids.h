#pragma once

// The map `xids` of a policy file: rules for single XIDs, in the words of the catalogue
// (data/xid/README.md).

#include <map>

#include "adapters/inbound/job_file/yaml_tree.h"
#include "domain/faults/xid.h"

namespace gp {

inline constexpr int kXidMax = 1023;

// The words that a map leaves out are the catalogue's.  What is wrong is added to the report.
std::map<int, XidRule> ReadXidRules(const YamlNode& map, Report& report);

}  // namespace gp
