#include "adapters/inbound/grpc/control_service.h"

#include <optional>

#include "adapters/inbound/api/operations/operations.h"
#include "adapters/inbound/api/request_id.h"
#include "adapters/inbound/grpc/grpc_streams.h"
#include "adapters/inbound/grpc/status.h"
#include "adapters/wire/bearer.h"

namespace gp {
namespace {

std::optional<std::string_view> Metadata(const grpc::ServerContext& context, const char* key) {
  const auto found = context.client_metadata().find(key);
  if (found == context.client_metadata().end()) return std::nullopt;
  return std::string_view(found->second.data(), found->second.size());
}

// "ipv4:127.0.0.1:40312" -> "127.0.0.1:40312"; "unix:" -> "unix".
std::string Place(const grpc::ServerContext& context) {
  const std::string peer = context.peer();
  const size_t colon = peer.find(':');
  return peer.starts_with("unix") ? "unix" : peer.substr(colon + 1);
}

}  // namespace

Result<Caller> ControlService::Identify(const grpc::ServerContext& context,
                                        const std::string& from) const {
  if (const auto shown = Metadata(context, "authorization")) {
    return guard_.BySecret(GP_TRY(SecretOf(*shown)), from);
  }
  const auto local_credential = Metadata(context, "gp-ticket");
  if (!local_credential)
    return Fail(Unauthenticated("no local credential of this machine, and no token"));
  return guard_.ByKernel(GP_TRY(local_credentials_.Verify(std::string(*local_credential))), from);
}

grpc::Status ControlService::Answer(grpc::ServerContext& context, std::string_view operation,
                                    const std::function<Status(const Caller&)>& answer) const {
  const std::string from = Place(context);
  const Status answered = guard_.Answer(Identify(context, from), from, operation, answer);
  return answered && context.IsCancelled() ? grpc::Status::CANCELLED : ToGrpc(answered);
}

grpc::Status ControlService::AnswerOnce(grpc::ServerContext& context, std::string_view operation,
                                        const google::protobuf::Message& request,
                                        const std::function<Status(const Caller&)>& answer) const {
  return Answer(context, operation, [&](const Caller& caller) {
    return WithRequestId(caller, Metadata(context, "idempotency-key"), operation, request, answer);
  });
}

grpc::Status ControlService::AnswerStream(
    grpc::ServerContext& context, std::string_view operation,
    const std::function<Status(const Caller&, Admission&)>& answer) const {
  return Answer(context, operation, [&](const Caller& caller) {
    // A user that the kernel reported does not change.
    Admission admission([&]() -> Status {
      if (caller.token.value == 0) return Ok();
      const auto again = Identify(context, caller.from);
      return again ? Admit(*again, operation) : Fail(again.error());
    });
    const Status answered = answer(caller, admission);
    const Status admitted = admission.status();
    return admitted ? answered : admitted;
  });
}

grpc::Status ControlService::WatchJob(grpc::ServerContext* context,
                                      const v1::GetJobRequest* request,
                                      grpc::ServerWriter<v1::Job>* writer) {
  return AnswerStream(*context, "WatchJob", [&](const Caller& caller, Admission& admission) {
    GrpcSink<v1::Job> out(*context, admission, *writer);
    return api_.WatchJob(caller, *request, out);
  });
}

grpc::Status ControlService::WatchChanges(grpc::ServerContext* context,
                                          const v1::WatchChangesRequest* request,
                                          grpc::ServerWriter<v1::StateChange>* writer) {
  return AnswerStream(*context, "WatchChanges", [&](const Caller& caller, Admission& admission) {
    GrpcSink<v1::StateChange> out(*context, admission, *writer);
    return api_.WatchChanges(caller, *request, out);
  });
}

grpc::Status ControlService::ReadLog(grpc::ServerContext* context,
                                     const v1::ReadLogRequest* request,
                                     grpc::ServerWriter<v1::LogChunk>* writer) {
  return AnswerStream(*context, "ReadLog", [&](const Caller& caller, Admission& admission) {
    GrpcSink<v1::LogChunk> out(*context, admission, *writer);
    return api_.ReadLog(caller, *request, out);
  });
}

grpc::Status ControlService::WatchJobMetrics(grpc::ServerContext* context,
                                             const v1::WatchJobMetricsRequest* request,
                                             grpc::ServerWriter<v1::NewMetricPoints>* writer) {
  return AnswerStream(*context, "WatchJobMetrics", [&](const Caller& caller, Admission& admission) {
    GrpcSink<v1::NewMetricPoints> out(*context, admission, *writer);
    return api_.WatchJobMetrics(caller, *request, out);
  });
}

grpc::Status ControlService::VerifyImages(grpc::ServerContext* context,
                                          const v1::VerifyImagesRequest* request,
                                          grpc::ServerWriter<v1::VerifyImagesReply>* writer) {
  return AnswerStream(*context, "VerifyImages", [&](const Caller& caller, Admission& admission) {
    GrpcSink<v1::VerifyImagesReply> out(*context, admission, *writer);
    return api_.VerifyImages(caller, *request, out);
  });
}

grpc::Status ControlService::Exec(grpc::ServerContext* context,
                                  grpc::ServerReaderWriter<v1::ExecOutput, v1::ExecInput>* stream) {
  return AnswerStream(*context, "Exec", [&](const Caller& caller, Admission& admission) {
    GrpcConversation<v1::ExecInput, v1::ExecOutput> conversation(*context, admission, *stream);
    return api_.Exec(caller, conversation);
  });
}

}  // namespace gp
