#include "adapters/inbound/rest/problem.h"

#include <map>
#include <nlohmann/json.hpp>

#include "adapters/wire/documents/document.h"
#include "adapters/wire/error.h"

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

// The reason phrases of HTTP.
const char* TitleOf(int status) {
  static const std::map<int, const char*> kTitles = {
      {400, "Bad Request"},         {401, "Unauthorized"},           {403, "Forbidden"},
      {404, "Not Found"},           {405, "Method Not Allowed"},     {409, "Conflict"},
      {413, "Content Too Large"},   {415, "Unsupported Media Type"}, {421, "Misdirected Request"},
      {429, "Too Many Requests"},   {500, "Internal Server Error"},  {501, "Not Implemented"},
      {503, "Service Unavailable"}, {504, "Gateway Timeout"}};
  const auto found = kTitles.find(status);
  return found == kTitles.end() ? "Error" : found->second;
}

HttpReply Problem(int status, const std::string& code, const std::string& detail) {
  const Json fields{{"type", "about:blank"},
                    {"title", TitleOf(status)},
                    {"status", status},
                    {"code", code},
                    {"detail", detail}};
  HttpReply reply{status, "application/problem+json", "", {}};
  reply.body = ToLine(fields);
  if (status == 503) reply.headers.emplace_back("Retry-After", "1");
  if (status == 401) reply.headers.emplace_back("WWW-Authenticate", "Bearer");
  return reply;
}

}  // namespace

HttpReply ProblemOf(const Error& error, std::span<const FieldError> fields,
                    const std::optional<Json>& example) {
  HttpReply reply =
      Problem(HttpStatusFor(error.code), std::string(ErrorCodeName(error.code)), error.message);
  if (fields.empty()) return reply;
  Json document = Json::parse(reply.body);
  for (const FieldError& field : fields)
    document["errors"].push_back({{"pointer", field.pointer}, {"detail", field.detail}});
  if (example) {
    document["detail"] = error.message + "; send it as \"example\" has it";
    document["example"] = *example;
  }
  reply.body = ToLine(document);
  return reply;
}

HttpReply ProblemWithStatus(int status, const std::string& detail) {
  return Problem(status, status >= 500 ? "internal" : "invalid-argument", detail);
}

}  // namespace gp
