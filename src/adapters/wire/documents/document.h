#pragma once

// A view message as a document for `-o json` and `-o yaml`: field names as in the .proto files,
// numbers as numbers, bytes in base64, unknown values as null.

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>
#include <string>

namespace gp {

nlohmann::ordered_json ToDocument(const google::protobuf::Message& message);
// JSON on one line; invalid UTF-8 is replaced.
std::string ToLine(const nlohmann::ordered_json& document);
std::string ToYaml(const nlohmann::ordered_json& document);

}  // namespace gp
