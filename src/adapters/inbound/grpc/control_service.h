#pragma once

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/grpc/local_credentials.h"
#include "application/access/access_guard.h"
#include "gpu_platform/v1/control.grpc.pb.h"

namespace gp {

class Admission;

// The users' service over gRPC.  Every method first identifies the caller and checks that it may
// use the operation.  gRPC calls it on its own threads.
class ControlService final : public v1::Control::Service {
 public:
  ControlService(ControlApi& api, AccessGuard& guard, LocalCredentialIssuer& local_credentials)
      : api_(api), guard_(guard), local_credentials_(local_credentials) {}

#define GP_UNARY(name, request, reply, role, reach, speed)                                      \
  grpc::Status name(grpc::ServerContext* context, const v1::request* input, v1::reply* output)  \
      override {                                                                                \
    return AnswerOnce(*context, #name, *input,                                                  \
                      [&](const Caller& caller) { return api_.name(caller, *input, output); }); \
  }
#define GP_STREAM(name, role, reach)
#include "gpu_platform/v1/operations.inc"
#undef GP_UNARY
#undef GP_STREAM

  grpc::Status WatchJob(grpc::ServerContext* context, const v1::GetJobRequest* request,
                        grpc::ServerWriter<v1::Job>* writer) override;
  grpc::Status WatchChanges(grpc::ServerContext* context, const v1::WatchChangesRequest* request,
                            grpc::ServerWriter<v1::StateChange>* writer) override;
  grpc::Status ReadLog(grpc::ServerContext* context, const v1::ReadLogRequest* request,
                       grpc::ServerWriter<v1::LogChunk>* writer) override;
  grpc::Status WatchJobMetrics(grpc::ServerContext* context,
                               const v1::WatchJobMetricsRequest* request,
                               grpc::ServerWriter<v1::NewMetricPoints>* writer) override;
  grpc::Status VerifyImages(grpc::ServerContext* context, const v1::VerifyImagesRequest* request,
                            grpc::ServerWriter<v1::VerifyImagesReply>* writer) override;
  grpc::Status Exec(grpc::ServerContext* context,
                    grpc::ServerReaderWriter<v1::ExecOutput, v1::ExecInput>* stream) override;

 private:
  Result<Caller> Identify(const grpc::ServerContext& context, const std::string& from) const;
  grpc::Status Answer(grpc::ServerContext& context, std::string_view operation,
                      const std::function<Status(const Caller&)>& answer) const;
  // As Answer, with the id of the request if the client gave one.
  grpc::Status AnswerOnce(grpc::ServerContext& context, std::string_view operation,
                          const google::protobuf::Message& request,
                          const std::function<Status(const Caller&)>& answer) const;
  // Ends the stream when the caller loses the right to it.
  grpc::Status AnswerStream(grpc::ServerContext& context, std::string_view operation,
                            const std::function<Status(const Caller&, Admission&)>& answer) const;

  ControlApi& api_;
  AccessGuard& guard_;
  LocalCredentialIssuer& local_credentials_;
};

}  // namespace gp
