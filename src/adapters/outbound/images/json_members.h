#pragma once

// Members of JSON documents of unknown origin.

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.h"

namespace gp {

// What is wrong with the document of this name.
Error Malformed(const std::string& name, const std::string& what);
Result<nlohmann::json> ParseObject(const std::string& text, const std::string& name);
// Members that are missing or of another type count as empty.
const nlohmann::json& MemberOf(const nlohmann::json& object, const char* name);
std::string TextOf(const nlohmann::json& object, const char* name);
// "sha256:…" of the blob that a descriptor in the document `where` names.
Result<std::string> DigestIn(const nlohmann::json& descriptor, const std::string& where);

}  // namespace gp
