#pragma once

// A job file while it is put together, and its text.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/inbound/job_file/yaml_tree.h"

namespace gp {

// A number, a size or a duration: written as it is.
YamlNode Plain(std::string text);
// Anything; quoted where it could be read as something else.
YamlNode Text(std::string text);
YamlNode TextList(std::vector<std::string> texts);

// Puts a value where `path` says, in place of what is there.
void Put(YamlNode& map, const std::vector<std::string>& path, YamlNode value);

// Why a variable of an imported environment is left out; nullopt: a job may have it.
std::optional<std::string> VariableRefusal(std::string_view name);

// In block form, in the order in which the keys were put.
std::string ToYaml(const YamlNode& map);

}  // namespace gp
