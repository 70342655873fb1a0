#pragma once

// Building a job file, and writing its text.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/yaml/yaml_tree.h"

namespace gp {

// A number, a size or a duration: written without quotes.
YamlNode Plain(std::string text);
// Any text; quoted if it could be read as something else.
YamlNode Text(std::string text);
YamlNode TextList(std::vector<std::string> texts);

// Sets the value at `path`, and replaces the one that is there.
void Put(YamlNode& map, const std::vector<std::string>& path, YamlNode value);

// Why a variable of an imported environment is left out; nullopt: a job may set it.
std::optional<std::string> VariableRefusal(std::string_view name);

// The text in block form, in the order in which the keys were set.
std::string ToYaml(const YamlNode& map);

}  // namespace gp
