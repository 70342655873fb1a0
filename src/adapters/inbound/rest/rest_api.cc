#include "adapters/inbound/rest/rest_api.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "adapters/inbound/rest/connect_rpc.h"
#include "adapters/inbound/rest/event_stream.h"
#include "adapters/inbound/rest/openapi.h"
#include "adapters/inbound/rest/problem.h"
#include "adapters/wire/bearer.h"
#include "adapters/wire/document.h"
#include "adapters/wire/from_document.h"
#include "base/text.h"

namespace gp {
namespace {

using google::protobuf::Message;

HttpReply PlainText(std::string text) { return {200, "text/plain; charset=utf-8", std::move(text), {}}; }

bool HasBody(std::string_view method) { return method == "POST" || method == "PUT" || method == "PATCH"; }

// Whoever opens a page of another site must not call us with what this browser knows; and a name that an attacker
// lets point at this machine is not this machine.
bool IsForeign(const HttpRequest& request) {
  if (!request.origin) return false;
  const size_t scheme = request.origin->find("://");
  return scheme == std::string::npos || !request.host || request.origin->substr(scheme + 3) != *request.host;
}

std::vector<FieldError> ReadBody(const HttpRequest& request, Message* message) {
  if (request.body.empty()) return {};
  nlohmann::json document;
  if (auto errors = ParseJson(request.body, document); !errors.empty()) return errors;
  return FromDocument(document, message);
}

std::vector<FieldError> ReadQuery(std::string_view query, Message* message) {
  const auto fields = ParseQuery(query);
  if (!fields) return {{"", fields.error().message}};
  std::set<std::string> seen;
  for (const auto& [name, value] : *fields) {
    const auto* field = message->GetDescriptor()->FindFieldByName(name);
    const bool is_one = field == nullptr || !field->is_repeated();
    if (is_one && !seen.insert(name).second) return {{"/" + name, "is given twice"}};
    if (auto errors = FromText(name, value, message); !errors.empty()) return errors;
  }
  return {};
}

// The fields of the path, and all others: a name that is in both would be a riddle.
std::vector<FieldError> ReadRequest(const HttpRequest& request, const MatchedRoute& matched, std::string_view query, Message* message) {
  auto errors = HasBody(request.method) ? ReadBody(request, message) : ReadQuery(query, message);
  if (!errors.empty()) return errors;
  if (HasBody(request.method) && !query.empty()) return {{"", "fields of a " + request.method + " stand in its body, not in the query"}};
  const auto& reflection = *message->GetReflection();
  for (const auto& [name, value] : matched.fields) {
    const auto* field = message->GetDescriptor()->FindFieldByName(name);
    if (!reflection.GetString(*message, field).empty()) return {{"/" + name, "stands in the path already"}};
    if (errors = FromText(name, value, message); !errors.empty()) return errors;
  }
  return {};
}

// One key, one effect: a repeated submit gives the same jobs again.
std::vector<FieldError> ReadIdempotencyKey(const HttpRequest& request, Message* message) {
  const auto* field = message->GetDescriptor()->FindFieldByName("request_id");
  if (!request.idempotency_key || field == nullptr) return {};
  if (!message->GetReflection()->GetString(*message, field).empty()) return {{"/request_id", "is given, and Idempotency-Key too"}};
  return FromText("request_id", *request.idempotency_key, message);
}

}  // namespace

RestApi::RestApi(Api& api, const std::string& version) : api_(api.control), guard_(api.guard), changes_(api.changes), version_(version) {}

Result<Caller> RestApi::Identify(const HttpRequest& request) {
  if (request.authorization) {
    return guard_.BySecret(GP_TRY(SecretOf(*request.authorization)), request.from);
  }
  if (!request.peer) return Fail(Unauthenticated("no token: send Authorization: Bearer (gpu-platform tokens create)"));
  return guard_.ByKernel(*request.peer, request.from);
}

// Made when somebody asks: most controllers are never asked.
const std::string& RestApi::OpenApiText() {
  std::call_once(openapi_once_, [this] { openapi_ = OpenApi(version_).dump(2); });
  return openapi_;
}

bool RestApi::TakesLong(const HttpRequest& request) const {
  if (request.target.starts_with(kConnectPrefix)) {
    const UnaryMethod* method = UnaryMethodNamed(std::string_view(request.target).substr(kConnectPrefix.size()));
    return method != nullptr && method->takes_long;
  }
  const auto matched = routes_.Find(request.method, std::string_view(request.target).substr(0, request.target.find('?')));
  return matched && matched->route->call != nullptr && matched->route->call->takes_long;
}

HttpReply RestApi::Answer(const HttpRequest& request) {
  if (IsForeign(request)) return ProblemOf(PermissionDenied("pages of other sites may not ask here"));
  if (request.target.starts_with(kConnectPrefix)) return AnswerConnect(api_, guard_, Identify(request), request);
  const size_t mark = std::min(request.target.find('?'), request.target.size());
  const std::string_view path = std::string_view(request.target).substr(0, mark);
  const std::string_view query = std::string_view(request.target).substr(std::min(mark + 1, request.target.size()));
  if (request.method == "GET" && path == "/livez") return PlainText("ok\n");
  if (request.method == "GET" && path == "/readyz") return AnswerReadiness();
  if (request.method == "GET" && path == "/openapi.json") return {200, "application/json", OpenApiText(), {}};
  if (request.method == "GET" && path == "/metrics") return AnswerMetrics(request);
  const auto matched = routes_.Find(request.method, path);
  if (matched) return matched->route->call != nullptr ? AnswerRoute(request, *matched, query) : AnswerChanges(request, *matched, query);
  if (matched.error().code != ErrorCode::kUnsupported) return ProblemOf(matched.error());
  HttpReply reply = ProblemWithStatus(405, "there is " + matched.error().message + " at " + Printable(path, 200) + ", and no " + Printable(request.method, 20));
  reply.headers.emplace_back("Allow", matched.error().message);
  return reply;
}

// Whether the writer answers, by what it has recovered.
HttpReply RestApi::AnswerReadiness() {
  const Status ready = api_.CheckReady();
  return ready ? PlainText("ok\n") : ProblemOf(ready.error());
}

HttpReply RestApi::AnswerMetrics(const HttpRequest& request) {
  v1::GetMetricsReply reply;
  const Status answered = guard_.Answer(Identify(request), request.from, "GetMetrics", [&](const Caller& caller) { return api_.GetMetrics(caller, {}, &reply); });
  if (!answered) return ProblemOf(answered.error());
  HttpReply http = PlainText(reply.text());
  http.content_type = "text/plain; version=0.0.4; charset=utf-8";
  return http;
}

HttpReply RestApi::AnswerChanges(const HttpRequest& request, const MatchedRoute& matched, std::string_view query) {
  v1::WatchChangesRequest message;
  std::vector<FieldError> errors;
  HttpReply http{matched.route->status, "text/event-stream", "", {}};
  const Status answered = guard_.Answer(Identify(request), request.from, matched.route->operation, [&](const Caller& caller) -> Status {
    errors = ReadRequest(request, matched, query, &message);
    if (!errors.empty()) return Fail(InvalidArgument(errors.front().pointer + " " + errors.front().detail));
    // A browser that comes back says so by itself, and does not change what it first asked for.
    if (request.last_event_id) message.set_since(*request.last_event_id);
    HttpRequest who = request;
    who.body.clear();
    http.stream = std::make_shared<EventStream>(GP_TRY(ChangeStream::Open(changes_, caller, message)), [this, who = std::move(who)] { return Identify(who); });
    return Ok();
  });
  return answered ? http : ProblemOf(answered.error(), errors);
}

HttpReply RestApi::AnswerRoute(const HttpRequest& request, const MatchedRoute& matched, std::string_view query) {
  const UnaryMethod& operation = *matched.route->call;
  const auto message = operation.new_request();
  const auto reply = operation.new_reply();
  std::vector<FieldError> errors;
  // Who may not ask learns nothing of what would be wrong with the question.
  const Status answered = guard_.Answer(Identify(request), request.from, operation.name, [&](const Caller& caller) -> Status {
    const bool is_json = !request.content_type || request.content_type->starts_with("application/json");
    if (!request.body.empty() && !is_json) return Fail(InvalidArgument("Content-Type: must be application/json"));
    errors = ReadRequest(request, matched, query, message.get());
    if (errors.empty()) errors = ReadIdempotencyKey(request, message.get());
    if (!errors.empty()) return Fail(InvalidArgument((errors.front().pointer.empty() ? "the request" : errors.front().pointer) + " " + errors.front().detail));
    return operation.call(api_, caller, *message, reply.get());
  });
  if (!answered) return ProblemOf(answered.error(), errors);
  HttpReply http{matched.route->status, "application/json", "", {}};
  http.body = ToDocument(*reply).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return http;
}

}  // namespace gp
