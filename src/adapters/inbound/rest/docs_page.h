#pragma once

// An HTML page that lists the API's operations, generated from the OpenAPI document.  In a browser
// its script (web/src/docs.tsx) puts a page in place of the list where each operation can be tried.

#include <nlohmann/json.hpp>
#include <string>

namespace gp {

std::string DocsPage(const nlohmann::ordered_json& openapi);

}  // namespace gp
