#pragma once

// Man pages from the tree of commands: gpu-platform.1, gpu-platform-jobs.1 and so on.

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"

namespace gp {

// kUnavailable: a file cannot be written.
Status WriteManPages(const nlohmann::ordered_json& root, const std::string& directory);

}  // namespace gp
