#include "adapters/inbound/rest/openapi.h"

#include <google/protobuf/descriptor.h>

#include <map>
#include <set>

#include "adapters/inbound/rest/routes.h"
#include "adapters/inbound/rest/stale_reads.h"
#include "adapters/wire/documents/described.h"
#include "adapters/wire/operation_options.h"
#include "base/text.h"

namespace gp {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::MethodDescriptor;
using google::protobuf::ServiceDescriptor;
using Json = nlohmann::ordered_json;

Json Responses(const std::string& status, Json answer) {
  const Json problem{{"$ref", "#/components/responses/Problem"}};
  return {{status, std::move(answer)}, {"4XX", problem}, {"5XX", problem}};
}

std::string RefTo(const Descriptor& type) { return "#/components/schemas/" + type.name(); }

void Describe(Json& schema, const std::string& comment) {
  if (!comment.empty()) schema["description"] = comment;
}

std::string FirstSentence(const std::string& text) {
  const size_t end = text.find(". ");
  const std::string first = text.substr(0, std::min(end, text.find('\n')));
  return first.ends_with('.') ? first.substr(0, first.size() - 1) : first;
}

bool HasBody(const Route& route) {
  return route.method == "POST" || route.method == "PUT" || route.method == "PATCH";
}

// Schemas of all referenced messages.
class Schemas {
 public:
  // The schema of one value of the field.
  Json ValueOf(const FieldDescriptor& field) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32: return {{"type", "integer"}, {"format", "int32"}};
      case FieldDescriptor::CPPTYPE_INT64: return {{"type", "integer"}, {"format", "int64"}};
      case FieldDescriptor::CPPTYPE_UINT32:
        return {{"type", "integer"}, {"minimum", 0}, {"maximum", 4'294'967'295}};
      case FieldDescriptor::CPPTYPE_UINT64: return {{"type", "integer"}, {"minimum", 0}};
      case FieldDescriptor::CPPTYPE_DOUBLE:
      case FieldDescriptor::CPPTYPE_FLOAT: return {{"type", "number"}};
      case FieldDescriptor::CPPTYPE_BOOL: return {{"type", "boolean"}};
      case FieldDescriptor::CPPTYPE_STRING:
        return field.type() == FieldDescriptor::TYPE_BYTES
                   ? Json{{"type", "string"}, {"contentEncoding", "base64"}}
                   : Json{{"type", "string"}};
      case FieldDescriptor::CPPTYPE_ENUM: return EnumOf(field);
      case FieldDescriptor::CPPTYPE_MESSAGE:
        Need(*field.message_type());
        return {{"$ref", RefTo(*field.message_type())}};
    }
    return {};
  }

  Json Of(const FieldDescriptor& field) {
    Json schema;
    if (field.is_map()) {
      schema = {{"type", "object"},
                {"additionalProperties", ValueOf(*field.message_type()->map_value())}};
    } else if (field.is_repeated()) {
      schema = {{"type", "array"}, {"items", ValueOf(field)}};
    } else if (field.has_presence()) {
      schema = OrNull(ValueOf(field));
    } else {
      schema = ValueOf(field);
    }
    Describe(schema, CommentOf(field));
    return schema;
  }

  // All fields except those of the path (`left_out`).
  Json ObjectOf(const Descriptor& type, const std::set<std::string>& left_out = {}) {
    Json schema{{"type", "object"}};
    Describe(schema, CommentOf(type));
    schema["properties"] = Json::object();
    for (int i = 0; i < type.field_count(); ++i) {
      if (!left_out.contains(type.field(i)->name()))
        schema["properties"][type.field(i)->name()] = Of(*type.field(i));
    }
    schema["additionalProperties"] = false;
    return schema;
  }

  void Need(const Descriptor& type) {
    if (!needed_.insert(&type).second) return;
    made_[type.name()] = ObjectOf(type);
  }

  Json TakeAll() {
    Json all = Json::object();
    for (auto& [name, schema] : made_) all[name] = std::move(schema);
    return all;
  }

 private:
  static Json EnumOf(const FieldDescriptor& field) {
    Json names = Json::array();
    for (int i = 0; i < field.enum_type()->value_count(); ++i)
      names.push_back(field.enum_type()->value(i)->name());
    return {{"type", "string"}, {"enum", std::move(names)}};
  }
  static Json OrNull(Json value) {
    return {{"anyOf", Json::array({std::move(value), Json{{"type", "null"}}})}};
  }

  std::set<const Descriptor*> needed_;
  std::map<std::string, Json> made_;
};

Json TextParameter(const char* name, const char* in, const char* description) {
  return {
      {"name", name}, {"in", in}, {"description", description}, {"schema", {{"type", "string"}}}};
}

Json IdempotencyKey() {
  Json key = TextParameter("Idempotency-Key", "header",
                           "Names the request: a repeat with the same key changes nothing. "
                           "1 to 128 printable ASCII characters");
  key["schema"]["maxLength"] = 128;
  return key;
}

class OperationMaker {
 public:
  OperationMaker(const Route& route, const MethodDescriptor& method, Schemas& schemas)
      : route_(route), method_(method), schemas_(schemas) {}

  Json Make() {
    const std::string comment = CommentOf(method_);
    Json operation{{"operationId", Id()},
                   {"tags", Json::array({Tag()})},
                   {"summary", comment.empty() ? method_.name() : FirstSentence(comment)}};
    Describe(operation, route_.alias_of.empty() ? comment
                                                : "The same as " + route_.method + " " +
                                                      route_.alias_of + ". " + comment);
    operation["parameters"] = Parameters();
    if (HasBody(route_))
      operation["requestBody"] = {
          {"content",
           {{"application/json",
             {{"schema", schemas_.ObjectOf(*method_.input_type(), in_path_)}}}}}};
    schemas_.Need(*method_.output_type());
    operation["responses"] = Responses(std::to_string(route_.status),
                                       method_.server_streaming() ? StreamAnswer() : Answer());
    if (HasTag())
      operation["responses"]["304"] = {
          {"description",
           "The caller already has this answer: its ETag is the If-None-Match that was sent"}};
    return operation;
  }

 private:
  bool HasTag() const { return route_.method == "GET" && !method_.server_streaming(); }
  // "/api/v1/jobs/{job_id}:stop" -> "jobs".
  std::string Tag() const {
    const std::string& path = route_.alias_of.empty() ? route_.path : route_.alias_of;
    const std::string rest = path.substr(std::string("/api/v1/").size());
    return rest.substr(0, rest.find_first_of("/:"));
  }
  std::string Id() const { return method_.name() + (route_.alias_of.empty() ? "" : "Alias"); }

  Json Answer() const {
    Json schema{{"$ref", RefTo(*method_.output_type())}};
    return {{"description", "Done"},
            {"content", {{"application/json", {{"schema", std::move(schema)}}}}}};
  }
  Json StreamAnswer() const {
    const Json text{{"schema", {{"type", "string"}}}};
    Json answer{{"description",
                 "Server-sent events; the data of each is a " + method_.output_type()->name()},
                {"content", {{"text/event-stream", text}}}};
    if (route_.is_raw) answer["content"]["text/plain"] = text;
    return answer;
  }

  Json Parameters() {
    Json parameters = FieldParameters();
    if (HasTag() || route_.method == "DELETE")
      parameters.push_back(
          TextParameter("fields", "query",
                        "Returns only these fields: names separated by commas, with dots for "
                        "nested fields"));
    if (HasTag() && IsAnsweredFromLog(method_.name()))
      parameters.push_back(
          TextParameter(kStaleField, "query",
                        "How old the state may be that answers, such as 5s: at listen.reads of one "
                        "of several controllers. The header State-Age tells its age in seconds"));
    if (method_.server_streaming())
      parameters.push_back(
          TextParameter("Last-Event-ID", "header",
                        "The id of the last event received: the stream continues after it"));
    if (!IsRead(method_)) parameters.push_back(IdempotencyKey());
    return parameters;
  }

  // The fields of the request in its path and query.
  Json FieldParameters() {
    Json parameters = Json::array();
    const Descriptor& request = *method_.input_type();
    for (int i = 0; i < request.field_count(); ++i) {
      const FieldDescriptor& field = *request.field(i);
      const bool is_in_path = route_.path.find("{" + field.name() + "}") != std::string::npos;
      if (is_in_path) in_path_.insert(field.name());
      if (is_in_path || (!HasBody(route_) && field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE))
        parameters.push_back(Parameter(field, is_in_path));
    }
    return parameters;
  }

  Json Parameter(const FieldDescriptor& field, bool is_in_path) {
    Json value = schemas_.ValueOf(field);
    if (field.is_repeated()) value = {{"type", "array"}, {"items", std::move(value)}};
    Json parameter{{"name", field.name()}, {"in", is_in_path ? "path" : "query"}};
    if (is_in_path) parameter["required"] = true;
    Describe(parameter, CommentOf(field));
    parameter["schema"] = std::move(value);
    return parameter;
  }

  const Route& route_;
  const MethodDescriptor& method_;
  Schemas& schemas_;
  std::set<std::string> in_path_;
};

Json ProblemSchema() {
  const Json text{{"type", "string"}};
  Json place{{"type", "object"},
             {"properties",
              {{"pointer", {{"type", "string"}, {"description", "Where in the request: RFC 6901"}}},
               {"detail", text}}},
             {"required", {"pointer", "detail"}}};
  return {
      {"type", "object"},
      {"description", "RFC 9457"},
      {"properties",
       {{"type", text},
        {"title", text},
        {"status", {{"type", "integer"}}},
        {"code", text},
        {"detail", text},
        {"errors", {{"type", "array"}, {"items", std::move(place)}}},
        {"example", {{"type", "object"}, {"description", "A body that the operation accepts"}}}}},
      {"required", {"type", "title", "status", "code", "detail"}}};
}

// Endpoints for monitoring, which are not methods of the service.
void AddProbes(Json& paths) {
  const auto add = [&](const char* path, const char* id, const char* what, bool is_open) {
    Json operation{{"operationId", id}, {"tags", Json::array({"probes"})}, {"summary", what}};
    if (is_open) operation["security"] = Json::array();
    operation["responses"] = Responses(
        "200",
        {{"description", what}, {"content", {{"text/plain", {{"schema", {{"type", "string"}}}}}}}});
    paths[path] = {{"get", std::move(operation)}};
  };
  add("/livez", "GetLiveness", "The process answers", true);
  add("/readyz", "GetReadiness", "The controller answers", true);
  add("/metrics", "GetMetricsText", "Metrics in Prometheus' text format", false);
  add("/api/monitoring/metrics", "GetMetricsTextAlias", "The same as GET /metrics", false);
}

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return text;
}

Json PathsOf(const ServiceDescriptor& service, Schemas& schemas) {
  Json paths = Json::object();
  const Routes routes;
  for (const Route& route : routes.all()) {
    paths[route.path][Lower(route.method)] =
        OperationMaker(route, *service.FindMethodByName(route.operation), schemas).Make();
  }
  return paths;
}

// What the operations refer to.
Json Components(Schemas& schemas) {
  Json all = schemas.TakeAll();
  all["Problem"] = ProblemSchema();
  return {
      {"securitySchemes",
       {{"token",
         {{"type", "http"}, {"scheme", "bearer"}, {"description", "gpu-platform tokens create"}}}}},
      {"responses",
       {{"Problem",
         {{"description", "What went wrong, and where"},
          {"content",
           {{"application/problem+json",
             {{"schema", {{"$ref", "#/components/schemas/Problem"}}}}}}}}}}},
      {"schemas", std::move(all)}};
}

}  // namespace

Json OpenApi(const std::string& version) {
  const ServiceDescriptor& service = DescribedService();
  Schemas schemas;
  Json paths = PathsOf(service, schemas);
  AddProbes(paths);
  Json document{{"openapi", "3.1.0"},
                {"info",
                 {{"title", "gpu-platform"},
                  {"version", version},
                  {"description", CommentOf(service)},
                  {"license", {{"name", "MIT"}, {"identifier", "MIT"}}}}},
                {"servers", Json::array({Json{{"url", "/"}}})},
                {"security", Json::array({Json{{"token", Json::array()}}})}};
  document["paths"] = std::move(paths);
  document["components"] = Components(schemas);
  return document;
}

}  // namespace gp
