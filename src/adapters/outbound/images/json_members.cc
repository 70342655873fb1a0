#include "adapters/outbound/images/json_members.h"

#include "base/digest.h"
#include "base/text.h"

namespace gp {

using nlohmann::json;

Error Malformed(const std::string& name, const std::string& what) {
  return InvalidArgument(name + " " + what);
}

Result<json> ParseObject(const std::string& text, const std::string& name) {
  json document = json::parse(text, nullptr, false);
  if (document.is_object()) return document;
  return Fail(Malformed(name, "is no JSON object"));
}

const json& MemberOf(const json& object, const char* name) {
  static const json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

std::string TextOf(const json& object, const char* name) {
  const json& member = MemberOf(object, name);
  return member.is_string() ? member.get<std::string>() : "";
}

Result<std::string> DigestIn(const json& descriptor, const std::string& where) {
  std::string digest = TextOf(descriptor, "digest");
  if (IsSha256Name(digest)) return digest;
  return Fail(Malformed(
      where, "names a blob by \"" + Printable(digest, 80) + "\", which is no sha256 digest"));
}

}  // namespace gp
