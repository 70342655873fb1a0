#include <algorithm>

#include "cmd/settings/settings_text.h"

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kScalar[] = {"string", "number", "boolean"};

Json Text(const Setting& row) {
  if (row.is_path == IsPath) return {{"type", "string"}, {"pattern", "^(/|$)"}};
  return {{"type", kScalar}};
}

// The type of a row's value.
struct TypeOf {
  const Setting& row;

  Json operator()(std::monostate) const { return Json::object(); }
  Json operator()(const std::string*) const { return Text(row); }
  Json operator()(const bool*) const { return {{"type", "boolean"}}; }
  Json operator()(InvertedBool) const { return {{"type", "boolean"}}; }
  Json operator()(const Duration*) const { return DurationSchema(); }
  Json operator()(const int*) const { return Count(); }
  Json operator()(const int64_t*) const { return Count(); }
  Json operator()(const std::vector<std::string>*) const {
    return {{"anyOf", {Text(row), {{"type", "array"}, {"items", Text(row)}}}}};
  }
  Json operator()(const WordTarget& target) const { return {{"enum", target.words}}; }

 private:
  Json Count() const {
    return {{"type", "integer"}, {"minimum", row.least}, {"maximum", row.most}};
  }
};

// The properties of the map at the path, which is made if it is not there.
Json& PropertiesAt(Json& schema, const std::string& group) {
  if (group.empty()) return schema["properties"];
  Json& map = schema["properties"][group];
  if (map.is_null())
    map = {{"type", {"object", "null"}},
           {"additionalProperties", false},
           {"properties", Json::object()}};
  return map["properties"];
}

}  // namespace

std::string SettingsSchema(const SettingsProgram& program) {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "gpu-platform " + program.name + ".yaml"},
                 {"type", "object"},
                 {"additionalProperties", false},
                 {"properties", Json::object()}};
  for (const Setting& row : program.rows) {
    if (std::holds_alternative<std::monostate>(row.target)) continue;
    const size_t dot = row.key.find('.');
    Json& properties = PropertiesAt(schema, dot == std::string::npos ? "" : row.key.substr(0, dot));
    Json& one = properties[row.key.substr(dot == std::string::npos ? 0 : dot + 1)];
    one = {{"description", row.meaning}};
    one.update(std::visit(TypeOf{row}, row.target));
  }
  for (const SettingsSection& section : program.sections) {
    for (const std::string& name : section.names)
      PropertiesAt(schema, section.key)[name] = section.schema_of(name);
  }
  return schema.dump(2) + "\n";
}

Json DurationSchema() {
  return {{"type", "string"}, {"pattern", "^" + std::string(kDurationPattern) + "$"}};
}

}  // namespace gp
