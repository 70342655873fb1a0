#pragma once

// A policy as a document, and as a file that says the same.

#include <nlohmann/json.hpp>
#include <string>

#include "domain/cluster/policy.h"

namespace gp {

// `file`: from which it was read; empty: from none.
nlohmann::ordered_json PolicyDocument(const std::string& file, const Policy& policy);
std::string PolicyFileText(const std::string& file, const Policy& policy);

}  // namespace gp
