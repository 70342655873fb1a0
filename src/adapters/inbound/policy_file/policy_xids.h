#pragma once

// The map `xids` of a policy file: rules for single XIDs, with the words of the catalogue
// (data/xid/README.md).

#include <map>

#include "domain/faults/xid.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {

inline constexpr int kXidMax = 1023;

// The rules of the map; a word that it leaves out is taken from the catalogue's rule.  Problems are
// added to the report.
std::map<int, XidRule> ReadXidRules(const YamlNode& map, const std::map<int, XidRule>& catalogue,
                                    Report& report);

}  // namespace gp
