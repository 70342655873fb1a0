#pragma once

// The HTTP API as an OpenAPI 3.1 document, generated from the routes, messages and comments of the
// .proto files.

#include <nlohmann/json.hpp>
#include <string>

namespace gp {

nlohmann::ordered_json OpenApi(const std::string& version);

}  // namespace gp
