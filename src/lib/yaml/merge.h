#pragma once

// Layers of a configuration, one over the other.

#include "lib/yaml/yaml_tree.h"

namespace gp {

// Merges maps key by key, at every depth.  Any other value above replaces the one below, with its
// place, so that a value's place tells its origin.  A map above that is empty changes nothing.
void MergeOver(YamlNode& below, const YamlNode& above);

// The value at a path such as "listen.http"; nullptr: there is none.
const YamlNode* FindPath(const YamlNode& root, std::string_view path);

// Sets the value at a path, and makes the maps on the way.
void SetPath(YamlNode& root, std::string_view path, YamlNode value);

}  // namespace gp
