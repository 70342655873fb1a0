#pragma once

// The users' side of the controller.  Every method first asks who calls.

#include <mutex>

#include "adapters/inbound/grpc/job_feed.h"
#include "adapters/inbound/grpc/node_channels.h"
#include "adapters/inbound/grpc/tickets.h"
#include "domain/defragmenting/find_moves.h"
#include "domain/explaining/present.h"
#include "gpu_platform/v1/control.grpc.pb.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

// Where one rank of an attempt is, or was.
struct RankPlace {
  NodeId node;
  LeaseId lease;
  JobId job;
  int attempt = 0;
  bool live = false;  // its lease is not over
};

class ControlService final : public v1::Control::Service {
 public:
  // What it tells of the controller itself.
  struct About {
    std::string version;
    std::function<std::string(const State&)> metrics;  // empty: none
  };

  ControlService(ControlGateway& gateway, NodeChannels& channels, NodeReadings& readings, NodeProgress& progress, JobFeed& feed,
                 TicketIssuer& tickets, About about)
      : gateway_(gateway), channels_(channels), readings_(readings), progress_(progress), feed_(feed), tickets_(tickets), about_(std::move(about)) {}

  grpc::Status SubmitJobs(grpc::ServerContext* context, const v1::SubmitJobsRequest* request,
                          v1::SubmitJobsReply* reply) override;
  grpc::Status ListJobs(grpc::ServerContext* context, const v1::ListJobsRequest* request,
                        v1::ListJobsReply* reply) override;
  grpc::Status GetJob(grpc::ServerContext* context, const v1::GetJobRequest* request, v1::Job* reply) override;
  grpc::Status WatchJob(grpc::ServerContext* context, const v1::GetJobRequest* request,
                        grpc::ServerWriter<v1::Job>* writer) override;
  grpc::Status StopJob(grpc::ServerContext* context, const v1::StopJobRequest* request, v1::Job* reply) override;
  grpc::Status ChangeJobs(grpc::ServerContext* context, const v1::ChangeJobsRequest* request, v1::ListJobsReply* reply) override;
  grpc::Status HoldJob(grpc::ServerContext* context, const v1::GetJobRequest* request, v1::Job* reply) override;
  grpc::Status ReleaseJob(grpc::ServerContext* context, const v1::GetJobRequest* request, v1::Job* reply) override;
  grpc::Status ReadLog(grpc::ServerContext* context, const v1::ReadLogRequest* request,
                       grpc::ServerWriter<v1::LogChunk>* writer) override;
  using ExecStream = grpc::ServerReaderWriter<v1::ExecOutput, v1::ExecInput>;
  grpc::Status Exec(grpc::ServerContext* context, ExecStream* stream) override;
  grpc::Status GetCluster(grpc::ServerContext* context, const v1::GetClusterRequest* request,
                          v1::Cluster* reply) override;
  grpc::Status ChangeService(grpc::ServerContext* context, const v1::ChangeServiceRequest* request,
                             v1::Cluster* reply) override;
  grpc::Status DeclareNodeLost(grpc::ServerContext* context, const v1::DeclareNodeLostRequest* request,
                               v1::Cluster* reply) override;
  grpc::Status ExplainJob(grpc::ServerContext* context, const v1::ExplainJobRequest* request,
                          v1::ExplainJobReply* reply) override;
  grpc::Status ListReservations(grpc::ServerContext* context, const v1::ListReservationsRequest* request,
                                v1::ListReservationsReply* reply) override;
  grpc::Status GetMetrics(grpc::ServerContext* context, const v1::GetMetricsRequest* request, v1::GetMetricsReply* reply) override;
  grpc::Status ListIncidents(grpc::ServerContext* context, const v1::ListIncidentsRequest* request, v1::ListIncidentsReply* reply) override;
  grpc::Status GetIncident(grpc::ServerContext* context, const v1::GetIncidentRequest* request, v1::Incident* reply) override;
  grpc::Status ChangeIncident(grpc::ServerContext* context, const v1::ChangeIncidentRequest* request, v1::Incident* reply) override;
  grpc::Status ReserveNodes(grpc::ServerContext* context, const v1::ReserveNodesRequest* request, v1::Reservation* reply) override;
  grpc::Status DeleteReservation(grpc::ServerContext* context, const v1::DeleteReservationRequest* request,
                                 v1::ListReservationsReply* reply) override;
  grpc::Status PlanMoves(grpc::ServerContext* context, const v1::PlanMovesRequest* request, v1::MovePlans* reply) override;
  grpc::Status ApplyMoves(grpc::ServerContext* context, const v1::PlanMovesRequest* request, v1::MovePlans* reply) override;
  grpc::Status ListQueues(grpc::ServerContext* context, const v1::ListQueuesRequest* request,
                          v1::ListQueuesReply* reply) override;
  grpc::Status SetQueue(grpc::ServerContext* context, const v1::SetQueueRequest* request, v1::Queue* reply) override;
  grpc::Status DeleteQueue(grpc::ServerContext* context, const v1::DeleteQueueRequest* request,
                           v1::ListQueuesReply* reply) override;
  grpc::Status ChangeNode(grpc::ServerContext* context, const v1::ChangeNodeRequest* request, v1::Cluster* reply) override;
  grpc::Status SetPriority(grpc::ServerContext* context, const v1::SetPriorityRequest* request, v1::Job* reply) override;

 private:
  // As who the journal names the caller.
  static std::string Principal(const User& user) { return "user:" + user.name; }
  Result<User> Caller(const grpc::ServerContext& context) const;
  // The caller, if it is an administrator (root, or who the controller runs as).
  Result<User> Administrator(const grpc::ServerContext& context) const;
  static void Redact(const User& caller, const User& owner, v1::Job* message);
  Result<JobId> Named(const std::string& text);
  static Status CheckOwns(const State& state, const User& caller, JobId id);
  // The job, if the caller may change it: its owner or an administrator.
  Result<JobId> OwnJob(const User& caller, const std::string& text);
  Status FillJob(const User& caller, const std::string& name, v1::Job* reply);
  void AddProgress(const State& state, const Job& job, v1::Job* message) const;
  Status FillCluster(bool readings, v1::Cluster* reply);
  Status FillQueues(v1::ListQueuesReply* reply);
  Result<std::vector<MovePlan>> FillMoves(const v1::PlanMovesRequest& request, v1::MovePlans* reply);
  Status FillIncident(const std::string& id, v1::Incident* reply);
  Status FillReservations(v1::ListReservationsReply* reply);
  void FillForecast(Present& present, Instant at, const Job& job, v1::ExplainJobReply* reply);
  grpc::Status Change(grpc::ServerContext* context, const std::string& job_text, v1::Job* reply,
                      const std::function<Command(JobId)>& make);
  // Both move the request's offset behind what was sent.
  grpc::Status CopyLog(grpc::ServerContext& context, const RankPlace& place, v1::ReadLogRequest& request,
                       grpc::ServerWriter<v1::LogChunk>& out);
  grpc::Status PumpLog(grpc::ServerContext& context, Channel::Stream& tunnel, v1::ReadLogRequest& request,
                       grpc::ServerWriter<v1::LogChunk>& out);
  grpc::Status PumpExec(Channel::Stream& tunnel, ExecStream& stream);

  ControlGateway& gateway_;
  NodeChannels& channels_;
  NodeReadings& readings_;
  NodeProgress& progress_;
  JobFeed& feed_;
  TicketIssuer& tickets_;
  const About about_;
  std::timed_mutex forecasting_;  // whose turn it is to be worked out
};

}  // namespace gp
