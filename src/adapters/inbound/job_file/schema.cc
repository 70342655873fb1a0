#include "adapters/inbound/job_file/schema.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "adapters/inbound/job_file/field.h"
#include "domain/model/jobs/job_text.h"
#include "lib/yaml/scalar.h"

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

const std::string kTimes(kDurationPattern);
const std::string kSizePattern = "(0|[1-9][0-9]*)(\\.[0-9]{1,3})?([KMGT]i?)?B";
const std::string kModel(kModelPattern);
const std::string kSharePattern =
    "(0\\.(?!0*$)[0-9]{1,3}|1(\\.0{1,3})?|(0\\.[1-9]|[1-9][0-9]?(\\.[0-9])?|100(\\.0)?)%)";

Json SchemaOf(const Field& field);

Json Matching(const std::string& pattern) {
  return {{"type", "string"}, {"pattern", "^" + pattern + "$"}};
}

Json OneOf(std::span<const std::string_view> words) {
  Json all = Json::array();
  for (const std::string_view word : words) all.push_back(word);
  return {{"enum", all}};
}

Json Integer(int64_t low, int64_t high) {
  return {{"type", "integer"}, {"minimum", low}, {"maximum", high}};
}

Json Either(std::initializer_list<Json> choices) { return {{"anyOf", Json(choices)}}; }

Json ListOf(Json item) { return {{"type", "array"}, {"minItems", 1}, {"items", std::move(item)}}; }

Json Object(std::span<const Field> fields) {
  Json properties = Json::object();
  Json required = Json::array();
  Json either = Json::array();
  for (const Field& field : fields) {
    if (field.kind == FieldKind::kNotYet) continue;
    properties[std::string(field.name)] = SchemaOf(field);
    if (field.required && field.unless.empty()) required.push_back(field.name);
    if (!field.unless.empty())
      either = {Json{{"required", {field.name}}}, Json{{"required", {field.unless}}}};
    if (field.alias.empty()) continue;
    Json& older = properties[std::string(field.alias)] = SchemaOf(field);
    older["deprecated"] = true;
  }
  Json object = {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
  if (!required.empty()) object["required"] = required;
  if (!either.empty()) object["anyOf"] = either;
  return object;
}

Json FreeMap(const std::string& name_pattern, Json value_types) {
  return {{"type", "object"},
          {"maxProperties", kMapEntriesMax},
          {"propertyNames", {{"pattern", "^" + name_pattern + "$"}}},
          {"additionalProperties", {{"type", std::move(value_types)}}}};
}

Json Priority(const Field& field) {
  Json words = Json::array();
  for (const auto& word : kPriorityWords) words.push_back(word.text);
  return Either({Json{{"enum", words}}, Integer(field.low, field.high)});
}

Json Texts(const Field& field) {
  const std::string pattern(field.pattern);
  Json list = ListOf(Matching(pattern));
  list["maxItems"] = field.high;
  return Either({Matching(pattern), list});
}

Json WordsSchema(const Field& field) {
  Json list = ListOf(OneOf(field.words));
  list["uniqueItems"] = true;
  return list;
}

Json Command() {
  const Json argument = {{"type", {"string", "number", "boolean"}}};
  return Either({Json{{"type", "string"}, {"pattern", "\\S"}}, ListOf(argument)});
}

Json Text(const Field& field) {
  Json text = {{"type", "string"}, {"minLength", 1}};
  if (!field.pattern.empty()) text["pattern"] = field.pattern;
  return text;
}

Json Share(const Field&) {
  return Either(
      {Json{{"type", "number"}, {"minimum", 0.001}, {"maximum", 1}}, Matching(kSharePattern)});
}

// A number, a short form, or the whole map.
Json NumberOrMap(const Field& field, const std::string& short_form) {
  return Either({Integer(field.low, field.high), Matching(short_form), Object(field.Below())});
}

Json RulesSchema(const Field& field) {
  return {{"type", "object"},
          {"additionalProperties", OneOf(field.words)},
          {"maxProperties", field.high}};
}

Json Objects(const Field& field) {
  Json list = ListOf(Object(field.Below()));
  list["maxItems"] = field.high;
  return list;
}

// The schema of the fields of one kind.
struct KindSchema {
  FieldKind kind;
  Json (*of)(const Field& field);
};

constexpr KindSchema kKindSchemas[] = {
    {FieldKind::kText, Text},
    {FieldKind::kCount, [](const Field& field) { return Integer(field.low, field.high); }},
    {FieldKind::kSize, [](const Field&) { return Matching(kSizePattern); }},
    {FieldKind::kSizeOrAuto, [](const Field&) { return Matching("(auto|" + kSizePattern + ")"); }},
    {FieldKind::kDuration, [](const Field&) { return Matching(kTimes); }},
    {FieldKind::kDurationSpan,
     [](const Field&) { return Matching(kTimes + "(\\.\\." + kTimes + ")?"); }},
    {FieldKind::kBool, [](const Field&) { return Json{{"type", "boolean"}}; }},
    {FieldKind::kWord, [](const Field& field) { return OneOf(field.words); }},
    {FieldKind::kWords, WordsSchema},
    {FieldKind::kPriority, Priority},
    {FieldKind::kShare, Share},
    {FieldKind::kTexts, Texts},
    {FieldKind::kGpus,
     [](const Field& field) { return NumberOrMap(field, kModel + ":(0|[1-9][0-9]?)"); }},
    {FieldKind::kArray,
     [](const Field& field) { return NumberOrMap(field, "[1-9][0-9]{0,4}%[1-9][0-9]{0,4}"); }},
    {FieldKind::kVariables,
     [](const Field&) {
       return FreeMap("[A-Za-z_][A-Za-z0-9_]*", {"string", "number", "boolean", "null"});
     }},
    {FieldKind::kLabels,
     [](const Field&) {
       return FreeMap("[A-Za-z0-9][A-Za-z0-9._/-]*", {"string", "number", "boolean"});
     }},
    {FieldKind::kRules, RulesSchema},
    {FieldKind::kCommand, [](const Field&) { return Command(); }},
    {FieldKind::kObject, [](const Field& field) { return Object(field.Below()); }},
    {FieldKind::kObjects, Objects},
    {FieldKind::kAlternatives, Objects},
};

constexpr bool HasEachKindOnce() {
  for (int kind = 0; kind < static_cast<int>(FieldKind::kNotYet); ++kind) {
    const auto of_kind = static_cast<FieldKind>(kind);
    if (std::ranges::count(kKindSchemas, of_kind, &KindSchema::kind) != 1) return false;
  }
  return true;
}
static_assert(HasEachKindOnce(), "each kind but kNotYet has a schema");

Json TypeSchema(const Field& field) {
  const auto* found = std::ranges::find(kKindSchemas, field.kind, &KindSchema::kind);
  return found == std::end(kKindSchemas) ? Json(false) : found->of(field);
}

Json SchemaOf(const Field& field) {
  Json schema = {{"description", field.summary}};
  schema.update(TypeSchema(field));
  return schema;
}

}  // namespace

std::string JobFileSchema() {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "gpu-platform job file, version 1"}};
  schema.update(Object(JobFields()));
  return schema.dump(2) + "\n";
}

}  // namespace gp
