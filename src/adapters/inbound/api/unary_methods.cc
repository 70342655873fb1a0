#include "adapters/inbound/api/unary_methods.h"

#include <algorithm>
#include <array>

namespace gp {
namespace {

using google::protobuf::Message;

template <typename Request, typename Reply,
          Status (ControlApi::*kMethod)(const Caller&, const Request&, Reply*)>
constexpr UnaryMethod Bound(std::string_view name, bool takes_long = false) {
  return {name, []() -> std::unique_ptr<Message> { return std::make_unique<Request>(); },
          []() -> std::unique_ptr<Message> { return std::make_unique<Reply>(); },
          [](ControlApi& api, const Caller& caller, const Message& request, Message* reply) {
            return (api.*kMethod)(caller, static_cast<const Request&>(request),
                                  static_cast<Reply*>(reply));
          },
          takes_long};
}

#define GP_BOUND(Name, Request, Reply, ...) \
  Bound<v1::Request, v1::Reply, &ControlApi::Name>(#Name __VA_OPT__(, ) __VA_ARGS__)
constexpr bool kLong = true;
constexpr std::array kMethods = {
    GP_BOUND(SubmitJobs, SubmitJobsRequest, SubmitJobsReply),
    GP_BOUND(ListJobs, ListJobsRequest, ListJobsReply),
    GP_BOUND(GetJob, GetJobRequest, Job),
    GP_BOUND(StopJob, StopJobRequest, Job),
    GP_BOUND(ChangeJobs, ChangeJobsRequest, ListJobsReply),
    GP_BOUND(HoldJob, GetJobRequest, Job),
    GP_BOUND(ReleaseJob, GetJobRequest, Job),
    GP_BOUND(SetPriority, SetPriorityRequest, Job),
    GP_BOUND(SetTimeLimit, SetTimeLimitRequest, Job),
    GP_BOUND(GetJobReport, GetJobRequest, JobReport),
    GP_BOUND(ExplainJob, ExplainJobRequest, ExplainJobReply, kLong),
    GP_BOUND(GetCluster, GetClusterRequest, Cluster),
    GP_BOUND(ChangeService, ChangeServiceRequest, Cluster),
    GP_BOUND(DeclareNodeLost, DeclareNodeLostRequest, Cluster),
    GP_BOUND(ChangeNode, ChangeNodeRequest, Cluster),
    GP_BOUND(RevokeNode, RevokeNodeRequest, Cluster),
    GP_BOUND(GetMetrics, GetMetricsRequest, GetMetricsReply, kLong),
    GP_BOUND(ListQueues, ListQueuesRequest, ListQueuesReply),
    GP_BOUND(SetQueue, SetQueueRequest, Queue),
    GP_BOUND(DeleteQueue, DeleteQueueRequest, ListQueuesReply),
    GP_BOUND(ListReservations, ListReservationsRequest, ListReservationsReply),
    GP_BOUND(ReserveNodes, ReserveNodesRequest, Reservation),
    GP_BOUND(DeleteReservation, DeleteReservationRequest, ListReservationsReply),
    GP_BOUND(PlanMoves, PlanMovesRequest, MovePlans, kLong),
    GP_BOUND(ApplyMoves, PlanMovesRequest, MovePlans, kLong),
    GP_BOUND(ListIncidents, ListIncidentsRequest, ListIncidentsReply),
    GP_BOUND(GetIncident, GetIncidentRequest, Incident),
    GP_BOUND(ChangeIncident, ChangeIncidentRequest, Incident),
    GP_BOUND(GetUsage, GetUsageRequest, Usage, kLong),
    GP_BOUND(ListBudgets, ListBudgetsRequest, ListBudgetsReply),
    GP_BOUND(SetBudget, SetBudgetRequest, ListBudgetsReply),
    GP_BOUND(DeleteBudget, DeleteBudgetRequest, ListBudgetsReply),
    GP_BOUND(GetSettings, GetSettingsRequest, Settings),
    GP_BOUND(ReloadConfig, ReloadConfigRequest, ReloadConfigReply, kLong),
    GP_BOUND(ListSecrets, ListSecretsRequest, ListSecretsReply),
    GP_BOUND(SetSecret, SetSecretRequest, ListSecretsReply),
    GP_BOUND(DeleteSecret, DeleteSecretRequest, ListSecretsReply),
    GP_BOUND(WhoAmI, WhoAmIRequest, WhoAmIReply),
    GP_BOUND(ListRoles, ListRolesRequest, ListRolesReply),
    GP_BOUND(GrantRole, GrantRoleRequest, ListRolesReply),
    GP_BOUND(ListTokens, ListTokensRequest, ListTokensReply),
    GP_BOUND(IssueToken, IssueTokenRequest, IssueTokenReply),
    GP_BOUND(RevokeToken, RevokeTokenRequest, ListTokensReply),
    GP_BOUND(ListAudit, ListAuditRequest, ListAuditReply, kLong),
    GP_BOUND(ReadJournal, ReadJournalRequest, ReadJournalReply, kLong),
};
#undef GP_BOUND

}  // namespace

std::span<const UnaryMethod> UnaryMethods() { return kMethods; }

const UnaryMethod* UnaryMethodNamed(std::string_view name) {
  const auto found = std::ranges::find(kMethods, name, &UnaryMethod::name);
  return found == kMethods.end() ? nullptr : &*found;
}

}  // namespace gp
