#pragma once

// JSON from outside as a message: the reverse of ToDocument, and strict.  What is not understood is
// an error that names its place, never something else that was meant.

#include <google/protobuf/message.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gp {

// Where and what: "/specs/0/gpus/count", "must be a whole number".
struct FieldError {
  std::string pointer;  // RFC 6901; empty: the whole
  std::string detail;
  bool operator==(const FieldError&) const = default;
};

inline constexpr size_t kFieldErrorsMax = 20;
inline constexpr int kJsonDepthMax = 32;

// Refuses names that come twice, and what is nested deeper than kJsonDepthMax.
std::vector<FieldError> ParseJson(std::string_view text, nlohmann::json& document);

// Into fields that are named as in the .proto files; null is as if the field were not there.
std::vector<FieldError> FromDocument(const nlohmann::json& document,
                                     google::protobuf::Message* message);

// One field from text, as paths and queries have them; a repeated one grows.
std::vector<FieldError> FromText(const std::string& field, const std::string& text,
                                 google::protobuf::Message* message);

}  // namespace gp
