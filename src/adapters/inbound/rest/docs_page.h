#pragma once

// The API for people: what can be called, in a page that is made of the OpenAPI document.

#include <nlohmann/json.hpp>
#include <string>

namespace gp {

std::string DocsPage(const nlohmann::ordered_json& openapi);

}  // namespace gp
