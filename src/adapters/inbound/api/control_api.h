#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "adapters/inbound/api/job_reports.h"
#include "adapters/inbound/api/node_channels.h"
#include "adapters/inbound/api/streams/change_feed.h"
#include "adapters/inbound/api/streams/job_feed.h"
#include "adapters/inbound/api/streams/streams.h"
#include "application/access/caller.h"
#include "domain/defragmenting/find_moves.h"
#include "domain/explaining/present.h"
#include "gpu_platform/v1/control.pb.h"
#include "ports/inbound/control_gateway.h"
#include "ports/outbound/audit_trail.h"
#include "ports/outbound/journal.h"
#include "ports/outbound/metric_store.h"
#include "ports/outbound/secret_keeper.h"

namespace gp {

class Controllers;

// The node and lease of one rank of an attempt, past or present.
struct RankPlace {
  NodeId node;
  LeaseId lease;
  JobId job;
  int attempt = 0;
  bool live = false;  // its lease has not ended
};

using ExecConversation = Conversation<v1::ExecInput, v1::ExecOutput>;

// The controller's configuration files, read again.
struct Reloaded {
  Policy policy;
  std::function<std::vector<std::string>(const Policy& before)> changes;  // as texts
  std::vector<std::string> needs_restart;  // changes that this controller cannot make, as texts
  // Called when all has been applied; may be empty
  std::function<void()> applied = nullptr;
  // Applies the receivers and returns the changes as texts
  std::function<Result<std::vector<std::string>>()> receivers;
};

// The users' operations, independent of the transport.  The transport has identified the caller and
// checked that it may use the operation at all (operations.h); ControlApi checks access to the
// object.  Any thread.
class ControlApi {
 public:
  // Facts and functions of the controller itself.
  struct About {
    std::string version;
    std::function<Result<std::string>(const std::string& names)> metrics;  // empty: none
    AuditTrail* audit = nullptr;                                           // nullptr: none
    JournalReader* journal = nullptr;  // owned by the writer: read it only inside gateway_.Read
    std::string state_directory;       // empty: no state on disk
    // Fills in the policy and the receivers; empty: neither
    std::function<void(const Policy&, v1::Settings*)> settings = nullptr;
    // Reads the configuration files again; empty: there are none
    std::function<Result<Reloaded>()> reload = nullptr;
    // The receivers that jobs may name; empty: none
    std::function<std::vector<std::string>()> receivers = nullptr;
    SecretKeeper* secrets = nullptr;     // nullptr: no secrets
    MetricStore* job_metrics = nullptr;  // nullptr: metrics of jobs are not kept
    std::string name;                    // of this controller
    Controllers* controllers = nullptr;  // nullptr: it is the only one
    // Ends the process, after the reply, so that a standby leads; set with `controllers`
    std::function<void()> step_down = nullptr;
    // Fills in how far the archive is; empty: there is none
    std::function<void(v1::Archive*)> archive = nullptr;
  };

  ControlApi(ControlGateway& gateway, NodeChannels& channels, NodeReadings& readings,
             NodeProgress& progress, NodeImages& images, JobFeed& feed, ChangeFeed& changes,
             About about)
      : gateway_(gateway),
        channels_(channels),
        readings_(readings),
        progress_(progress),
        images_(images),
        feed_(feed),
        changes_(changes),
        about_(std::move(about)) {}

  // One method for each unary operation, defined in the file of its subject.
#define GP_UNARY(name, request, reply, role, reach, speed) \
  Status name(const Caller& caller, const v1::request& input, v1::reply* output);
#define GP_STREAM(name, role, reach)
#include "gpu_platform/v1/operations.inc"
#undef GP_UNARY
#undef GP_STREAM

  // Whether the writer answers; needs no caller.
  Status CheckReady() {
    return gateway_.Read([](const State&) {});
  }

  // Returns when the job has ended or the caller is gone.
  Status WatchJob(const Caller& caller, const v1::GetJobRequest& request, Sink<v1::Job>& out);
  // Returns when the caller is gone.
  Status WatchChanges(const Caller& caller, const v1::WatchChangesRequest& request,
                      Sink<v1::StateChange>& out);
  // Whether the caller may now watch the job, or read its log.
  Status MayWatchJob(const Caller& caller, const std::string& job) {
    return MayAct(caller, JobAct::kSee, job);
  }
  Status MayReadLog(const Caller& caller, const std::string& job) {
    return MayAct(caller, JobAct::kRead, job);
  }
  Status ReadLog(const Caller& caller, const v1::ReadLogRequest& request, Sink<v1::LogChunk>& out);
  // Returns some seconds after the job's end, when no more points come, or when the caller is gone.
  Status WatchJobMetrics(const Caller& caller, const v1::WatchJobMetricsRequest& request,
                         Sink<v1::NewMetricPoints>& out);
  // Returns when the node's layers are verified, or the caller is gone.
  Status VerifyImages(const Caller& caller, const v1::VerifyImagesRequest& request,
                      Sink<v1::VerifyImagesReply>& out);
  Status Exec(const Caller& caller, ExecConversation& stream);

 private:
  // On behalf of the caller, whose request is answered once.
  Outcome Execute(const Caller& caller, Command command) {
    return gateway_.Execute(caller.AsOrigin(), caller.request, std::move(command));
  }
  // Whether only the answer of this request is missing.  kConflict: as IsRepeated of the domain.
  Result<bool> IsRepeated(const Caller& caller);
  Status CheckSameAsBefore(const std::vector<Outcome>& outcomes,
                           const std::vector<std::shared_ptr<const JobSpec>>& specs);
  static void Redact(JobRights& rights, const Job& job, v1::Job* message);
  // kNotFound: the caller may not see the job.  kPermissionDenied: the caller may only see it.
  static Status CheckMay(const Caller& caller, JobAct act, const Job& job);
  static Result<JobId> FindJobFor(const State& state, const Caller& caller, JobAct act,
                                  const std::string& text);
  // The pending job of that name; of an array, one of its elements.
  static Result<Job> FindWaiting(const State& state, const Caller& caller, const std::string& name);
  Result<JobId> JobFor(const Caller& caller, JobAct act, const std::string& text);
  Status MayAct(const Caller& caller, JobAct act, const std::string& job);
  // For an array: one message for all its elements.
  Status FillJob(const Caller& caller, const std::string& name, v1::Job* reply);
  Status FillFrom(const State& state, const Caller& caller, const std::string& name,
                  v1::Job* reply) const;
  // A job whose reports the caller may see.
  struct ReportedBy {
    JobId job;
    MetricPlaces places;  // none: nothing may be shown
  };
  ReportedBy MayTell(const Caller& caller, const std::string& job);
  v1::Job ReportsOf(const ReportedBy& by);
  // With the metrics of a running job that are not finite.
  Error WithNotFinite(const Caller& caller, const std::string& job, Error error);
  void AddProgress(const State& state, const Job& job, v1::Job* message) const;
  Status FillCluster(const v1::GetClusterRequest& request, v1::Cluster* reply);
  // Removes all other nodes from the reply and adds this node's leases.
  Status KeepNode(const std::string& name, v1::Cluster* reply);
  Status FillBudgets(const Caller& caller, v1::ListBudgetsReply* reply);
  Status FillQueues(v1::ListQueuesReply* reply);
  Status FillRoles(v1::ListRolesReply* reply);
  Result<uint64_t> FormatNow();
  Status FillControllers(v1::ListControllersReply* reply);
  Status NoteControllers(const Caller& caller, const char* operation, const std::string& name,
                         const char* what);
  void FillControllersOf(v1::Cluster* reply) const;
  void FillArchiveOf(v1::Cluster* reply) const;
  Status FillTokens(const Caller& caller, bool all, v1::ListTokensReply* reply);
  Result<std::vector<MovePlan>> FillMoves(const v1::PlanMovesRequest& request,
                                          v1::MovePlans* reply);
  // Checks that the receivers and secrets that the spec names exist.
  Status CheckNamed(const Caller& caller, const JobSpec& spec);
  Status CheckMayMove(const State& state, const Caller& caller, const Job& job,
                      const std::string& queue);
  // Checks that the job would find its secrets in that queue too.
  Status CheckSecretsIn(const std::string& queue, const Job& job);
  Status NoteSecret(const Caller& caller, const std::string& operation, const std::string& name,
                    const std::string& queue);
  Status DropSecretsOf(const Caller& caller, const std::string& queue);
  Status FillIncident(const std::string& id, v1::Incident* reply);
  Status FillReservations(v1::ListReservationsReply* reply);
  void FillForecast(Present& present, Instant at, const Job& job, v1::ExplainJobReply* reply);
  // Adds a line for each job; with `arrays_as_one`, for the array of each that is in one.
  void FillLines(const State& state, const std::vector<const Job*>& jobs, bool arrays_as_one,
                 JobRights& rights, v1::ListJobsReply* reply) const;
  // The jobs of that name, if the caller may change them.
  static Result<std::vector<JobId>> FindChangeable(const State& state, const Caller& caller,
                                                   const std::string& text);
  static std::set<JobId> FindStillKnown(const State& state, const Caller& caller,
                                        const std::vector<std::string>& names);
  // The jobs that the request names and that were changed, now or when the request came before.
  Result<std::vector<JobId>> ChangeNamed(const Caller& caller,
                                         const v1::ChangeJobsRequest& request);
  Result<std::vector<JobId>> ChangeAll(const Caller& caller, const std::vector<JobId>& ids,
                                       v1::ChangeJobsRequest::Action action);
  Status Change(const Caller& caller, const std::string& job, v1::Job* reply,
                const std::function<Command(JobId)>& make);
  // Both move the request's offset past the bytes sent.
  Status CopyLog(const RankPlace& place, v1::ReadLogRequest& request, Sink<v1::LogChunk>& out);
  Status PumpLog(Tunnel& tunnel, v1::ReadLogRequest& request, Sink<v1::LogChunk>& out);

  ControlGateway& gateway_;
  NodeChannels& channels_;
  NodeReadings& readings_;
  NodeProgress& progress_;
  NodeImages& images_;
  JobFeed& feed_;
  ChangeFeed& changes_;
  const About about_;
  JobReports reports_{about_.job_metrics};
  std::mutex reloading_;
  static constexpr auto kTurnTime = std::chrono::seconds(5);  // waited for forecasting_
  std::timed_mutex forecasting_;  // one forecast or search for moves at a time
};

}  // namespace gp
