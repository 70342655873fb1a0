#pragma once

// The API over HTTP as an OpenAPI 3.1 document, made of the .proto files: routes, messages and
// comments.

#include <nlohmann/json.hpp>
#include <string>

namespace gp {

nlohmann::ordered_json OpenApi(const std::string& version);

}  // namespace gp
