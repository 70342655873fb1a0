#pragma once

// An HTML page that lists the API's operations, generated from the OpenAPI document.

#include <nlohmann/json.hpp>
#include <string>

namespace gp {

std::string DocsPage(const nlohmann::ordered_json& openapi);

}  // namespace gp
