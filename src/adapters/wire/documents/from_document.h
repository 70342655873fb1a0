#pragma once

// Converts JSON input to a message: the strict reverse of ToDocument.  Unknown input is an error
// that names its place; nothing is guessed.

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gp {

// The place and the error: "/specs/0/gpus/count", "must be a whole number".
struct FieldError {
  std::string pointer;  // RFC 6901; empty: the whole document
  std::string detail;
  bool operator==(const FieldError&) const = default;
};

inline constexpr size_t kFieldErrorsMax = 20;
inline constexpr int kJsonDepthMax = 32;

// Refuses duplicate names in an object and nesting deeper than kJsonDepthMax.
std::vector<FieldError> ParseJson(std::string_view text, nlohmann::json& document);

// Fields are named as in the .proto files; null means that the field is absent.
std::vector<FieldError> FromDocument(const nlohmann::json& document,
                                     google::protobuf::Message* message);

// Sets one field from the text of a path or query; a repeated field gets another element.
std::vector<FieldError> FromText(const std::string& field, const std::string& text,
                                 google::protobuf::Message* message);

}  // namespace gp
