#include "adapters/inbound/rest/connect_rpc.h"

#include <nlohmann/json.hpp>

#include "adapters/inbound/api/operations/unary_methods.h"
#include "adapters/inbound/api/request_id.h"
#include "adapters/wire/documents/document.h"
#include "adapters/wire/documents/from_document.h"
#include "adapters/wire/error.h"
#include "application/access/access_guard.h"
#include "base/text.h"

namespace gp {
namespace {

using google::protobuf::Message;
using Json = nlohmann::ordered_json;

constexpr std::string_view kProto = "application/proto";
constexpr std::string_view kJson = "application/json";

HttpReply Refusal(const Error& error) {
  HttpReply reply{HttpStatusFor(error.code), std::string(kJson), "", {}};
  reply.body = ToLine({{"code", ConnectNameFor(error.code)}, {"message", error.message}});
  return reply;
}

Status ReadMessage(const HttpRequest& request, bool is_json, Message* message) {
  if (!is_json)
    return message->ParseFromString(request.body)
               ? Ok()
               : Fail(InvalidArgument("the body is no " + message->GetDescriptor()->full_name()));
  nlohmann::json document;
  auto errors = ParseJson(request.body, document);
  if (errors.empty()) errors = FromDocument(document, message);
  return errors.empty()
             ? Ok()
             : Fail(InvalidArgument(errors.front().pointer + " " + errors.front().detail));
}

}  // namespace

HttpReply AnswerConnect(ControlApi& api, AccessGuard& guard, const Result<Caller>& caller,
                        const HttpRequest& request) {
  const std::string_view name = std::string_view(request.target).substr(kConnectPrefix.size());
  const UnaryMethod* method = UnaryMethodNamed(name);
  if (method == nullptr)
    return Refusal(
        Unsupported("there is no method " + Printable(name, 60) + " here; streams are gRPC's"));
  if (request.method != "POST") return Refusal(Unsupported("a method is called by POST"));
  const std::string_view type = request.content_type ? std::string_view(*request.content_type) : "";
  if (type != kProto && type != kJson)
    return Refusal(InvalidArgument("Content-Type: must be application/proto or application/json"));
  const auto message = method->new_request();
  const auto answer = method->new_reply();
  const Status answered =
      guard.Answer(caller, request.from, name, [&](const Caller& known) -> Status {
        GP_CHECK_OK(ReadMessage(request, type == kJson, message.get()));
        return WithRequestId(known, request.idempotency_key, name, *message,
                             [&](const Caller& caller_of_it) {
                               return method->call(api, caller_of_it, *message, answer.get());
                             });
      });
  if (!answered) return Refusal(answered.error());
  HttpReply reply{200, std::string(type), "", {}};
  reply.body = type == kJson ? ToLine(ToDocument(*answer)) : answer->SerializeAsString();
  return reply;
}

}  // namespace gp
