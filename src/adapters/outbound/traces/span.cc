#include "adapters/outbound/traces/span.h"

#include <nlohmann/json.hpp>

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kInternal = 1;  // SPAN_KIND_INTERNAL
constexpr int kOk = 0;        // STATUS_CODE_UNSET
constexpr int kError = 2;     // STATUS_CODE_ERROR

// OTLP writes 64-bit integers as strings, because JSON numbers may lose precision.
struct ToValue {
  Json operator()(const std::string& text) const { return {{"stringValue", text}}; }
  Json operator()(int64_t number) const { return {{"intValue", std::to_string(number)}}; }
  Json operator()(bool is) const { return {{"boolValue", is}}; }
  Json operator()(const std::vector<std::string>& texts) const {
    Json values = Json::array();
    for (const std::string& text : texts) values.push_back((*this)(text));
    return {{"arrayValue", {{"values", values}}}};
  }
};

Json ToJson(const SpanAttributes& attributes) {
  Json all = Json::array();
  for (const auto& [key, value] : attributes)
    all.push_back({{"key", key}, {"value", std::visit(ToValue(), value)}});
  return all;
}

Json ToJson(const Span& span) {
  Json events = Json::array();
  for (const SpanEvent& event : span.events)
    events.push_back({{"timeUnixNano", std::to_string(event.at.ns)},
                      {"name", event.name},
                      {"attributes", ToJson(event.attributes)}});
  Json json{{"traceId", span.trace}, {"spanId", span.id}};
  if (!span.parent.empty()) json["parentSpanId"] = span.parent;
  json.update(
      Json{{"name", span.name},
           {"kind", kInternal},
           {"startTimeUnixNano", std::to_string(span.begin.ns)},
           {"endTimeUnixNano", std::to_string(span.end.ns)},
           {"attributes", ToJson(span.attributes)},
           {"events", events},
           {"status", {{"code", span.is_error ? kError : kOk}, {"message", span.message}}}});
  return json;
}

}  // namespace

std::string ToOtlp(const std::vector<Span>& spans, const std::string& version) {
  Json all = Json::array();
  for (const Span& span : spans) all.push_back(ToJson(span));
  const Json scope{{"name", "gpu-platform"}, {"version", version}};
  const Json resource{{"attributes", ToJson(SpanAttributes{{"service.name", "gpu-platform"},
                                                           {"service.version", version}})}};
  const Json document{
      {"resourceSpans",
       Json::array({{{"resource", resource},
                     {"scopeSpans", Json::array({{{"scope", scope}, {"spans", all}}})}}})}};
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace gp
