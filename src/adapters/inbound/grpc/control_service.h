#pragma once

#include "adapters/inbound/api/access_guard.h"
#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/grpc/local_credentials.h"
#include "gpu_platform/v1/control.grpc.pb.h"

namespace gp {

class Admission;

// The users' service over gRPC.  Every method first identifies the caller and checks that it may
// use the operation.  gRPC calls it on its own threads.
class ControlService final : public v1::Control::Service {
 public:
  ControlService(ControlApi& api, AccessGuard& guard, LocalCredentialIssuer& local_credentials)
      : api_(api), guard_(guard), local_credentials_(local_credentials) {}

#define GP_UNARY(Name, Request, Reply)                                                          \
  grpc::Status Name(grpc::ServerContext* context, const v1::Request* request, v1::Reply* reply) \
      override {                                                                                \
    return Answer(*context, #Name,                                                              \
                  [&](const Caller& caller) { return api_.Name(caller, *request, reply); });    \
  }
  GP_UNARY(SubmitJobs, SubmitJobsRequest, SubmitJobsReply)
  GP_UNARY(ListJobs, ListJobsRequest, ListJobsReply)
  GP_UNARY(GetJob, GetJobRequest, Job)
  GP_UNARY(StopJob, StopJobRequest, Job)
  GP_UNARY(ChangeJobs, ChangeJobsRequest, ListJobsReply)
  GP_UNARY(HoldJob, GetJobRequest, Job)
  GP_UNARY(ReleaseJob, GetJobRequest, Job)
  GP_UNARY(GetCluster, GetClusterRequest, Cluster)
  GP_UNARY(ChangeService, ChangeServiceRequest, Cluster)
  GP_UNARY(DeclareNodeLost, DeclareNodeLostRequest, Cluster)
  GP_UNARY(ExplainJob, ExplainJobRequest, ExplainJobReply)
  GP_UNARY(ListReservations, ListReservationsRequest, ListReservationsReply)
  GP_UNARY(GetMetrics, GetMetricsRequest, GetMetricsReply)
  GP_UNARY(ListIncidents, ListIncidentsRequest, ListIncidentsReply)
  GP_UNARY(GetIncident, GetIncidentRequest, Incident)
  GP_UNARY(ChangeIncident, ChangeIncidentRequest, Incident)
  GP_UNARY(ReserveNodes, ReserveNodesRequest, Reservation)
  GP_UNARY(DeleteReservation, DeleteReservationRequest, ListReservationsReply)
  GP_UNARY(PlanMoves, PlanMovesRequest, MovePlans)
  GP_UNARY(ApplyMoves, PlanMovesRequest, MovePlans)
  GP_UNARY(ListQueues, ListQueuesRequest, ListQueuesReply)
  GP_UNARY(SetQueue, SetQueueRequest, Queue)
  GP_UNARY(DeleteQueue, DeleteQueueRequest, ListQueuesReply)
  GP_UNARY(ChangeNode, ChangeNodeRequest, Cluster)
  GP_UNARY(RevokeNode, RevokeNodeRequest, Cluster)
  GP_UNARY(SetPriority, SetPriorityRequest, Job)
  GP_UNARY(SetTimeLimit, SetTimeLimitRequest, Job)
  GP_UNARY(GetJobReport, GetJobRequest, JobReport)
  GP_UNARY(ReloadConfig, ReloadConfigRequest, ReloadConfigReply)
  GP_UNARY(ListSecrets, ListSecretsRequest, ListSecretsReply)
  GP_UNARY(SetSecret, SetSecretRequest, ListSecretsReply)
  GP_UNARY(DeleteSecret, DeleteSecretRequest, ListSecretsReply)
  GP_UNARY(GetUsage, GetUsageRequest, Usage)
  GP_UNARY(ListBudgets, ListBudgetsRequest, ListBudgetsReply)
  GP_UNARY(SetBudget, SetBudgetRequest, ListBudgetsReply)
  GP_UNARY(DeleteBudget, DeleteBudgetRequest, ListBudgetsReply)
  GP_UNARY(GetSettings, GetSettingsRequest, Settings)
  GP_UNARY(WhoAmI, WhoAmIRequest, WhoAmIReply)
  GP_UNARY(ListRoles, ListRolesRequest, ListRolesReply)
  GP_UNARY(GrantRole, GrantRoleRequest, ListRolesReply)
  GP_UNARY(ListTokens, ListTokensRequest, ListTokensReply)
  GP_UNARY(IssueToken, IssueTokenRequest, IssueTokenReply)
  GP_UNARY(RevokeToken, RevokeTokenRequest, ListTokensReply)
  GP_UNARY(ListAudit, ListAuditRequest, ListAuditReply)
  GP_UNARY(ReadJournal, ReadJournalRequest, ReadJournalReply)
#undef GP_UNARY

  grpc::Status WatchJob(grpc::ServerContext* context, const v1::GetJobRequest* request,
                        grpc::ServerWriter<v1::Job>* writer) override;
  grpc::Status WatchChanges(grpc::ServerContext* context, const v1::WatchChangesRequest* request,
                            grpc::ServerWriter<v1::StateChange>* writer) override;
  grpc::Status ReadLog(grpc::ServerContext* context, const v1::ReadLogRequest* request,
                       grpc::ServerWriter<v1::LogChunk>* writer) override;
  grpc::Status Exec(grpc::ServerContext* context,
                    grpc::ServerReaderWriter<v1::ExecOutput, v1::ExecInput>* stream) override;

 private:
  Result<Caller> Identify(const grpc::ServerContext& context, const std::string& from) const;
  grpc::Status Answer(grpc::ServerContext& context, std::string_view operation,
                      const std::function<Status(const Caller&)>& answer) const;
  // Ends the stream when the caller loses the right to it.
  grpc::Status AnswerStream(grpc::ServerContext& context, std::string_view operation,
                            const std::function<Status(const Caller&, Admission&)>& answer) const;

  ControlApi& api_;
  AccessGuard& guard_;
  LocalCredentialIssuer& local_credentials_;
};

}  // namespace gp
