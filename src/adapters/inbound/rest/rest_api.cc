#include "adapters/inbound/rest/rest_api.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <vector>

#include "adapters/inbound/api/operations/operations.h"
#include "adapters/inbound/api/request_id.h"
#include "adapters/inbound/rest/connect_rpc.h"
#include "adapters/inbound/rest/docs_page.h"
#include "adapters/inbound/rest/event_stream.h"
#include "adapters/inbound/rest/field_mask.h"
#include "adapters/inbound/rest/meant_submit.h"
#include "adapters/inbound/rest/openapi.h"
#include "adapters/inbound/rest/pages.h"
#include "adapters/inbound/rest/problem.h"
#include "adapters/wire/bearer.h"
#include "adapters/wire/documents/document.h"
#include "adapters/wire/documents/from_document.h"
#include "base/digest.h"
#include "base/text.h"

namespace gp {
namespace {

using google::protobuf::Message;

HttpReply PlainText(std::string text) {
  return {200, "text/plain; charset=utf-8", std::move(text), {}};
}

bool IsMetrics(std::string_view path) {
  return path == "/metrics" || path == "/api/monitoring/metrics";
}

bool HasBody(std::string_view method) {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

// Protects against cross-site requests, where a page of another site uses the browser's access, and
// against DNS rebinding, where an attacker's host name points at this machine.
bool IsForeign(const HttpRequest& request) {
  if (!request.origin) return false;
  const size_t scheme = request.origin->find("://");
  return scheme == std::string::npos || !request.host ||
         request.origin->substr(scheme + 3) != *request.host;
}

std::vector<FieldError> ReadBody(const HttpRequest& request, Message* message) {
  if (request.body.empty()) return {};
  nlohmann::json document;
  if (auto errors = ParseJson(request.body, document); !errors.empty()) return errors;
  return FromDocument(document, message);
}

// The query parameter that selects fields of an answer.
constexpr const char* kMaskField = "fields";

std::vector<FieldError> ReadQuery(std::string_view query, Message* message,
                                  bool may_have_mask = false) {
  const auto fields = ParseQuery(query);
  if (!fields) return {{"", fields.error().message}};
  std::set<std::string> seen;
  for (const auto& [name, value] : *fields) {
    if (name == kMaskField && may_have_mask) continue;
    const auto* field = message->GetDescriptor()->FindFieldByName(name);
    const bool is_one = field == nullptr || !field->is_repeated();
    if (is_one && !seen.insert(name).second) return {{"/" + name, "is given twice"}};
    if (auto errors = FromText(name, value, message); !errors.empty()) return errors;
  }
  return {};
}

// Reads the fields of the path, and of the body or query; a name in both is an error.
std::vector<FieldError> ReadRequest(const HttpRequest& request, const MatchedRoute& matched,
                                    std::string_view query, Message* message) {
  const bool may_have_mask = matched.route->call != nullptr;
  auto errors = HasBody(request.method) ? ReadBody(request, message)
                                        : ReadQuery(query, message, may_have_mask);
  if (!errors.empty()) return errors;
  if (HasBody(request.method) && !query.empty())
    return {{"", "fields of a " + request.method + " belong in its body, not in the query"}};
  const auto& reflection = *message->GetReflection();
  for (const auto& [name, value] : matched.fields) {
    const auto* field = message->GetDescriptor()->FindFieldByName(name);
    if (!reflection.GetString(*message, field).empty())
      return {{"/" + name, "is already in the path"}};
    if (errors = FromText(name, value, message); !errors.empty()) return errors;
  }
  return {};
}

// The field mask of the query; nullopt: all fields.
Result<std::optional<FieldMask>> TakeMask(const HttpRequest& request, std::string_view query,
                                          const google::protobuf::Descriptor& reply) {
  if (HasBody(request.method)) return std::nullopt;
  std::optional<FieldMask> mask;
  for (const auto& [name, value] : GP_TRY(ParseQuery(query))) {
    if (name != kMaskField) continue;
    if (mask) return Fail(InvalidArgument("fields: is given twice; separate names by commas"));
    mask = GP_TRY(FieldMask::Parse(value, reply));
  }
  return mask;
}

// Adds the ETag; a client that already has this answer gets 304.
void AddTag(const HttpRequest& request, HttpReply& reply) {
  char tag[20];
  std::snprintf(tag, sizeof tag, "\"%016llx\"",
                static_cast<unsigned long long>(Digest64(reply.body)));
  reply.headers.emplace_back("ETag", tag);
  if (!request.if_none_match ||
      (*request.if_none_match != "*" && request.if_none_match->find(tag) == std::string::npos))
    return;
  reply.status = 304;
  reply.body.clear();
}

HttpReply AnswerPage(const HttpRequest& request, const Page& page) {
  HttpReply reply{200, std::string(page.content_type), std::string(page.text), {}};
  reply.headers = {{"Cache-Control", "no-cache"},
                   {"Content-Security-Policy", std::string(kPagePolicy)},
                   {"X-Frame-Options", "DENY"},
                   {"Referrer-Policy", "no-referrer"}};
  AddTag(request, reply);
  return reply;
}

// A request message of an operation with a streaming answer.
std::unique_ptr<Message> NewRequest(const std::string& operation) {
  const auto* type = v1::GetJobRequest::descriptor()
                         ->file()
                         ->FindServiceByName("Control")
                         ->FindMethodByName(operation)
                         ->input_type();
  return std::unique_ptr<Message>(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
}

// An operation that was asked for, and what it answers.
struct RouteCall {
  std::unique_ptr<Message> message;  // the request
  std::unique_ptr<Message> reply;
  std::optional<FieldMask> mask;   // of the reply
  std::vector<FieldError> errors;  // in the request
};

Status ReadCall(const HttpRequest& request, const MatchedRoute& matched, std::string_view query,
                RouteCall& call) {
  const bool is_json =
      !request.content_type || request.content_type->starts_with("application/json");
  if (!request.body.empty() && !is_json)
    return Fail(InvalidArgument("Content-Type: must be application/json"));
  call.mask = GP_TRY(TakeMask(request, query, *call.reply->GetDescriptor()));
  call.errors = ReadRequest(request, matched, query, call.message.get());
  if (call.errors.empty()) return Ok();
  const FieldError& first = call.errors.front();
  return Fail(InvalidArgument((first.pointer.empty() ? "the request" : first.pointer) + " " +
                              first.detail));
}

HttpReply ReplyOf(const HttpRequest& request, int status, const RouteCall& call) {
  HttpReply http{status, "application/json", "", {}};
  auto document = ToDocument(*call.reply);
  if (call.mask) call.mask->Apply(document);
  http.body = ToLine(document);
  if (request.method == "GET") AddTag(request, http);
  return http;
}

HttpReply RefusalOf(const HttpRequest& request, std::string_view operation, const Error& error,
                    const std::vector<FieldError>& errors) {
  const bool may_mean_job = operation == "SubmitJobs" && !errors.empty();
  return ProblemOf(error, errors, may_mean_job ? MeantSubmit(request.body) : std::nullopt);
}

}  // namespace

RestApi::RestApi(Api& api, const std::string& version)
    : api_(api.control), guard_(api.guard), changes_(api.changes), version_(version) {}

Result<Caller> RestApi::Identify(const HttpRequest& request) {
  if (request.authorization) {
    return guard_.BySecret(GP_TRY(SecretOf(*request.authorization)), request.from);
  }
  if (!request.peer)
    return Fail(
        Unauthenticated("no token: send Authorization: Bearer (gpu-platform tokens create)"));
  return guard_.ByKernel(*request.peer, request.from);
}

// Built on the first request: most controllers never need it.
const std::string& RestApi::OpenApiText() {
  std::call_once(openapi_once_, [this] { openapi_ = OpenApi(version_).dump(2); });
  return openapi_;
}

const std::string& RestApi::DocsText() {
  std::call_once(docs_once_, [this] { docs_ = DocsPage(OpenApi(version_)); });
  return docs_;
}

bool RestApi::TakesLong(const HttpRequest& request) const {
  if (request.target.starts_with(kConnectPrefix)) {
    const UnaryMethod* method =
        UnaryMethodNamed(std::string_view(request.target).substr(kConnectPrefix.size()));
    return method != nullptr && method->takes_long;
  }
  const std::string_view path =
      std::string_view(request.target).substr(0, request.target.find('?'));
  if (IsMetrics(path)) return true;
  const auto matched = routes_.Find(request.method, path);
  return matched && matched->route->call != nullptr && matched->route->call->takes_long;
}

std::string RestApi::OperationOf(const HttpRequest& request) const {
  const auto matched = routes_.Find(
      request.method, std::string_view(request.target).substr(0, request.target.find('?')));
  return matched ? matched->route->operation : "";
}

HttpReply RestApi::Answer(const HttpRequest& request) {
  if (IsForeign(request))
    return ProblemOf(PermissionDenied("requests from pages of other sites are refused"));
  if (request.target.starts_with(kConnectPrefix))
    return AnswerConnect(api_, guard_, Identify(request), request);
  const size_t mark = std::min(request.target.find('?'), request.target.size());
  const std::string_view path = std::string_view(request.target).substr(0, mark);
  const std::string_view query =
      std::string_view(request.target).substr(std::min(mark + 1, request.target.size()));
  const Page* page = request.method == "GET" ? PageAt(path) : nullptr;
  if (page != nullptr) return AnswerPage(request, *page);
  if (request.method == "GET" && path == "/livez") return PlainText("ok\n");
  if (request.method == "GET" && path == "/readyz") return AnswerReadiness();
  if (request.method == "GET" && path == "/openapi.json")
    return {200, "application/json", OpenApiText(), {}};
  if (request.method == "GET" && path == "/docs")
    return AnswerPage(request, {"/docs", "text/html; charset=utf-8", DocsText()});
  if (request.method == "GET" && IsMetrics(path)) return AnswerMetrics(request, query);
  const auto matched = routes_.Find(request.method, path);
  if (matched)
    return matched->route->call != nullptr ? AnswerRoute(request, *matched, query)
                                           : AnswerStream(request, *matched, query);
  if (matched.error().code != ErrorCode::kUnsupported) return ProblemOf(matched.error());
  HttpReply reply =
      ProblemWithStatus(405, "there is " + matched.error().message + " at " + Printable(path, 200) +
                                 ", and no " + Printable(request.method, 20));
  reply.headers.emplace_back("Allow", matched.error().message);
  return reply;
}

// Ready: the writer has recovered the state and answers.
HttpReply RestApi::AnswerReadiness() {
  const Status ready = api_.CheckReady();
  return ready ? PlainText("ok\n") : ProblemOf(ready.error());
}

HttpReply RestApi::AnswerMetrics(const HttpRequest& request, std::string_view query) {
  v1::GetMetricsReply reply;
  const Status answered = guard_.Answer(
      Identify(request), request.from, "GetMetrics", [&](const Caller& caller) -> Status {
        v1::GetMetricsRequest message;
        const auto errors = ReadQuery(query, &message);
        if (!errors.empty())
          return Fail(InvalidArgument(errors.front().pointer + " " + errors.front().detail));
        return api_.GetMetrics(caller, message, &reply);
      });
  if (!answered) return ProblemOf(answered.error());
  HttpReply http = PlainText(reply.text());
  http.content_type = "text/plain; version=0.0.4; charset=utf-8";
  return http;
}

// Opens the operation's stream.  A reconnecting browser repeats its first request and adds
// Last-Event-ID.
Result<OpenedStream> RestApi::Open(const HttpRequest& request, const Route& route,
                                   const Caller& caller, Message& message) {
  if (route.operation == "WatchChanges")
    return OpenChanges(request, caller, static_cast<v1::WatchChangesRequest&>(message));
  if (route.operation == "WatchJob")
    return OpenJob(request, caller, static_cast<const v1::GetJobRequest&>(message));
  if (route.operation == "ReadLog")
    return OpenLog(request, caller, static_cast<v1::ReadLogRequest&>(message));
  if (route.operation == "WatchJobMetrics")
    return OpenMetrics(request, caller, static_cast<v1::WatchJobMetricsRequest&>(message));
  if (route.operation == "VerifyImages")
    return StreamVerification(pumps_, api_, caller,
                              static_cast<const v1::VerifyImagesRequest&>(message),
                              RoleCheck(request, route.operation));
  return Fail(Internal(route.operation + " has no stream here"));
}

Result<OpenedStream> RestApi::OpenChanges(const HttpRequest& request, const Caller& caller,
                                          v1::WatchChangesRequest& changes) {
  if (request.last_event_id) changes.set_since(*request.last_event_id);
  return OpenedStream{
      "text/event-stream",
      std::make_shared<EventStream>(GP_TRY(ChangeStream::Open(changes_, caller, changes)),
                                    Identifier(request))};
}

Result<OpenedStream> RestApi::OpenJob(const HttpRequest& request, const Caller& caller,
                                      const v1::GetJobRequest& job) {
  GP_CHECK_OK(api_.MayWatchJob(caller, job.job_id()));
  return StreamJob(pumps_, api_, caller, job,
                   AccessCheck(request, "WatchJob", &ControlApi::MayWatchJob, job.job_id()));
}

Result<OpenedStream> RestApi::OpenLog(const HttpRequest& request, const Caller& caller,
                                      v1::ReadLogRequest& log) {
  GP_CHECK_OK(api_.MayReadLog(caller, log.job_id()));
  const bool as_events =
      request.accept && request.accept->find("text/event-stream") != std::string::npos;
  if (as_events && request.last_event_id) GP_CHECK_OK(GoOnBehind(*request.last_event_id, log));
  return StreamLog(pumps_, api_, caller, log, as_events,
                   AccessCheck(request, "ReadLog", &ControlApi::MayReadLog, log.job_id()));
}

Result<OpenedStream> RestApi::OpenMetrics(const HttpRequest& request, const Caller& caller,
                                          v1::WatchJobMetricsRequest& metrics) {
  GP_CHECK_OK(api_.MayReadLog(caller, metrics.job_id()));
  if (request.last_event_id) metrics.set_since(*request.last_event_id);
  return StreamMetrics(
      pumps_, api_, caller, metrics,
      AccessCheck(request, "WatchJobMetrics", &ControlApi::MayReadLog, metrics.job_id()));
}

std::function<Result<Caller>()> RestApi::Identifier(const HttpRequest& request) {
  HttpRequest who = request;
  who.body.clear();
  return [this, who = std::move(who)] { return Identify(who); };
}

// Access is checked at once, so that a refusal is audited, and again at intervals, because it may
// change.
std::function<Status()> RestApi::AccessCheck(const HttpRequest& request,
                                             const std::string& operation, MayAct may,
                                             const std::string& job) {
  return [this, identify = Identifier(request), operation, may, job]() -> Status {
    const Caller now = GP_TRY(identify());
    GP_CHECK_OK(Admit(now, operation));
    return (api_.*may)(now, job);
  };
}

std::function<Status()> RestApi::RoleCheck(const HttpRequest& request,
                                           const std::string& operation) {
  return [identify = Identifier(request), operation]() -> Status {
    return Admit(GP_TRY(identify()), operation);
  };
}

HttpReply RestApi::AnswerStream(const HttpRequest& request, const MatchedRoute& matched,
                                std::string_view query) {
  const Route& route = *matched.route;
  const auto message = NewRequest(route.operation);
  std::vector<FieldError> errors;
  HttpReply http{route.status, "", "", {}};
  const Status answered = guard_.Answer(
      Identify(request), request.from, route.operation, [&](const Caller& caller) -> Status {
        errors = ReadRequest(request, matched, query, message.get());
        if (!errors.empty())
          return Fail(InvalidArgument(errors.front().pointer + " " + errors.front().detail));
        OpenedStream opened = GP_TRY(Open(request, route, caller, *message));
        http.content_type = std::move(opened.content_type);
        http.stream = std::move(opened.stream);
        return Ok();
      });
  return answered ? http : ProblemOf(answered.error(), errors);
}

HttpReply RestApi::AnswerRoute(const HttpRequest& request, const MatchedRoute& matched,
                               std::string_view query) {
  const UnaryMethod& operation = *matched.route->call;
  RouteCall call{operation.new_request(), operation.new_reply(), std::nullopt, {}};
  // A caller without access learns nothing about errors in the request.
  const Status answered = guard_.Answer(
      Identify(request), request.from, operation.name, [&](const Caller& caller) -> Status {
        GP_CHECK_OK(ReadCall(request, matched, query, call));
        return WithRequestId(caller, request.idempotency_key, operation.name, *call.message,
                             [&](const Caller& known) {
                               return operation.call(api_, known, *call.message, call.reply.get());
                             });
      });
  return answered ? ReplyOf(request, matched.route->status, call)
                  : RefusalOf(request, operation.name, answered.error(), call.errors);
}

}  // namespace gp
