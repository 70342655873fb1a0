#include "adapters/inbound/grpc/control_service.h"

#include <unistd.h>

#include <algorithm>

#include "adapters/inbound/grpc/gpu_name.h"
#include "adapters/inbound/grpc/status.h"
#include "adapters/wire/job_spec.h"
#include "adapters/wire/recovery_view.h"
#include "adapters/wire/views.h"
#include "base/text.h"
#include "domain/cluster/arrays.h"

namespace gp {
namespace {

constexpr int kJobsPerSubmitMax = 10'000;

bool IsAdministrator(const User& user) { return user.uid == 0 || user.uid == geteuid(); }

// How many jobs the request comes to; 0: it is not one that may be made.
int CountSubmitted(const v1::SubmitJobsRequest& request) {
  const int64_t copies = std::max(request.count(), 1);
  int64_t jobs = 0;
  for (const v1::JobSpec& spec : request.specs()) {
    if (spec.has_array() && copies > 1) return 0;
    jobs += spec.has_array() ? std::clamp(spec.array().count(), 1, kArrayMax) : copies;
  }
  return jobs <= kJobsPerSubmitMax ? static_cast<int>(jobs) : 0;
}

}  // namespace

// Others see that a job is there and what it holds, not what it runs with.
void ControlService::Redact(const User& caller, const User& owner, v1::Job* message) {
  if (owner.uid == caller.uid || IsAdministrator(caller)) return;
  message->mutable_spec()->clear_environment();
  message->mutable_spec()->clear_command();
  message->mutable_spec()->clear_working_directory();
  message->mutable_spec()->clear_checkpoint_directory();
  message->mutable_spec()->clear_on_log();
  message->mutable_spec()->clear_labels();
  for (v1::Checkpoint& checkpoint : *message->mutable_checkpoints()) {
    checkpoint.clear_path();
    checkpoint.clear_fault();
  }
  if (message->has_progress()) message->mutable_progress()->clear_refused();
  for (v1::Attempt& attempt : *message->mutable_attempts()) {
    for (v1::Rank& rank : *attempt.mutable_ranks()) rank.clear_last_error();
  }
}

Result<User> ControlService::Caller(const grpc::ServerContext& context) const {
  const auto found = context.client_metadata().find("gp-ticket");
  if (found == context.client_metadata().end()) return Fail(Unauthenticated("no ticket"));
  return tickets_.Verify({found->second.data(), found->second.size()});
}

Result<User> ControlService::Administrator(const grpc::ServerContext& context) const {
  const User caller = GP_TRY(Caller(context));
  if (IsAdministrator(caller)) return caller;
  return Fail(PermissionDenied(caller.name + " is not an administrator of this controller"));
}

Result<JobId> ControlService::Named(const std::string& text) {
  Result<JobId> id = JobId{};
  GP_CHECK_OK(gateway_.Read([&](const State& state) { id = FindJobNamed(state, text); }));
  return id;
}

Status ControlService::CheckOwns(const State& state, const User& caller, JobId id) {
  const Job& job = *state.FindJob(id);
  if (job.user.uid == caller.uid || IsAdministrator(caller)) return Ok();
  return Fail(PermissionDenied(NameOf(job) + " belongs to " + job.user.name));
}

Result<JobId> ControlService::OwnJob(const User& caller, const std::string& text) {
  Result<JobId> allowed = JobId{};
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    allowed = FindJobNamed(state, text);
    if (!allowed) return;
    if (const Status owns = CheckOwns(state, caller, *allowed); !owns) allowed = Fail(owns.error());
  }));
  return allowed;
}

// The rank that reported last speaks for all.
void ControlService::AddProgress(const State& state, const Job& job, v1::Job* message) const {
  std::optional<v1::LeaseProgress> newest;
  for (const LeaseId id : job.leases) {
    auto progress = progress_.Of(state.FindLease(id)->node, id);
    if (progress && (!newest || progress->at_ns() > newest->at_ns())) newest = std::move(progress);
  }
  if (newest) ProgressView(*newest, message->mutable_progress());
}

Status ControlService::FillJob(const User& caller, const std::string& name, v1::Job* reply) {
  Status status = Ok();
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    const auto id = FindJobNamed(state, name);
    if (!id) {
      status = Fail(id.error());
      return;
    }
    const Job& job = *state.FindJob(*id);
    JobView(state, job, gateway_.Now(), reply);
    AddProgress(state, job, reply);
    Redact(caller, job.user, reply);
  }));
  return status;
}

grpc::Status ControlService::SubmitJobs(grpc::ServerContext* context, const v1::SubmitJobsRequest* request,
                                        v1::SubmitJobsReply* reply) {
  const Result<User> caller = Caller(*context);
  if (!caller) return ToGrpc(caller.error());
  if (CountSubmitted(*request) == 0) return ToGrpc(InvalidArgument("count: 1 to 10,000 jobs at a time, and no copies of an array"));
  const int copies = std::max(request->count(), 1);
  if (request->request_id().size() > 128) return ToGrpc(InvalidArgument("request_id: at most 128 characters"));
  std::vector<std::pair<std::string, Command>> commands;
  for (const v1::JobSpec& message : request->specs()) {
    Result<JobSpec> decoded = FromProto(message);
    if (!decoded) return ToGrpc(decoded.error());
    const auto spec = std::make_shared<const JobSpec>(*std::move(decoded));
    if (const Status valid = ValidateJobSpec(*spec); !valid) return ToGrpc(valid);
    for (int copy = 0; copy < copies; ++copy) {
      const std::string id = request->request_id();
      commands.emplace_back(id.empty() ? "" : id + "/" + std::to_string(commands.size()), SubmitJob{spec, *caller});
    }
  }
  for (const Outcome& outcome : gateway_.ExecuteAll(Principal(*caller), std::move(commands))) {
    if (!outcome.status) return ToGrpc(outcome.status);
    reply->add_job_ids(ToText(outcome.job));
  }
  return grpc::Status::OK;
}

grpc::Status ControlService::GetJob(grpc::ServerContext* context, const v1::GetJobRequest* request,
                                    v1::Job* reply) {
  const Result<User> caller = Caller(*context);
  if (!caller) return ToGrpc(caller.error());
  return ToGrpc(FillJob(*caller, request->job_id(), reply));
}

grpc::Status ControlService::WatchJob(grpc::ServerContext* context, const v1::GetJobRequest* request,
                                      grpc::ServerWriter<v1::Job>* writer) {
  const Result<User> caller = Caller(*context);
  if (!caller) return ToGrpc(caller.error());
  const auto id = Named(request->job_id());
  if (!id) return ToGrpc(id.error());
  const auto watch = feed_.Follow(*id);  // before the first look: no change falls between
  while (!context->IsCancelled()) {
    v1::Job job;
    if (const Status filled = FillJob(*caller, ToText(*id), &job); !filled) return ToGrpc(filled);
    if (!writer->Write(job)) break;
    if (job.state() >= v1::COMPLETED) return grpc::Status::OK;
    while (!context->IsCancelled() && !watch->Next(Duration::Milliseconds(500))) {
    }
  }
  return grpc::Status::CANCELLED;
}

grpc::Status ControlService::Change(grpc::ServerContext* context, const std::string& job_text, v1::Job* reply,
                                    const std::function<Command(JobId)>& make) {
  const Result<User> caller = Caller(*context);
  if (!caller) return ToGrpc(caller.error());
  const Result<JobId> id = OwnJob(*caller, job_text);
  if (!id) return ToGrpc(id.error());
  const Outcome outcome = gateway_.Execute(Principal(*caller), "", make(*id));
  if (!outcome.status) return ToGrpc(outcome.status);
  return ToGrpc(FillJob(*caller, ToText(*id), reply));
}

grpc::Status ControlService::StopJob(grpc::ServerContext* context, const v1::StopJobRequest* request,
                                     v1::Job* reply) {
  return Change(context, request->job_id(), reply,
                [&](JobId id) { return gp::StopJob{id, request->force()}; });
}

grpc::Status ControlService::HoldJob(grpc::ServerContext* context, const v1::GetJobRequest* request,
                                     v1::Job* reply) {
  return Change(context, request->job_id(), reply, [](JobId id) { return gp::HoldJob{id}; });
}

grpc::Status ControlService::ReleaseJob(grpc::ServerContext* context, const v1::GetJobRequest* request,
                                        v1::Job* reply) {
  return Change(context, request->job_id(), reply, [](JobId id) { return gp::ReleaseJob{id}; });
}

Status ControlService::FillCluster(bool readings, v1::Cluster* reply) {
  GP_CHECK_OK(gateway_.Read([&](const State& state) { ClusterView(state, gateway_.Now(), reply); }));
  reply->set_version(about_.version);
  if (!readings) return Ok();
  for (int i = 0; i < reply->nodes_size(); ++i) {
    const auto latest = readings_.Of({static_cast<uint32_t>(i)});
    if (!latest) continue;
    v1::Node& node = *reply->mutable_nodes(i);
    node.set_seconds_since_report(static_cast<double>((gateway_.Now() - latest->at).ns) / 1e9);
    const int count = std::min(node.gpus_size(), static_cast<int>(latest->gpus.size()));
    for (int gpu = 0; gpu < count; ++gpu) {
      *node.mutable_gpus(gpu)->mutable_readings() = latest->gpus[static_cast<size_t>(gpu)];
    }
  }
  return Ok();
}

grpc::Status ControlService::GetCluster(grpc::ServerContext* context, const v1::GetClusterRequest* request,
                                        v1::Cluster* reply) {
  const Result<User> caller = Caller(*context);
  if (!caller) return ToGrpc(caller.error());
  return ToGrpc(FillCluster(request->readings(), reply));
}

grpc::Status ControlService::ChangeService(grpc::ServerContext* context, const v1::ChangeServiceRequest* request,
                                           v1::Cluster* reply) {
  const Result<User> caller = Administrator(*context);
  if (!caller) return ToGrpc(caller.error());
  if (request->gpu().empty() == request->node().empty()) {
    return ToGrpc(InvalidArgument("name either a GPU or a node"));
  }
  if (!v1::ChangeServiceRequest::Action_IsValid(request->action())) {
    return ToGrpc(InvalidArgument("action: DRAIN, OFFLINE, ONLINE or RESET"));
  }
  gp::ChangeService command;
  command.action = static_cast<ServiceAction>(request->action());
  command.force = request->force();
  command.deadline = FromMilliseconds(request->deadline_ms());
  command.reason = caller->name + (request->reason().empty() ? "" : ": " + Printable(request->reason(), 200));
  Status found = Ok();
  const Status read = gateway_.Read([&](const State& state) {
    if (!request->node().empty()) {
      const auto node = FindNodeByName(state, request->node());
      if (node) command.node = *node;
      if (!node) found = Fail(node.error());
      return;
    }
    const auto gpu = FindGpu(state, request->gpu());
    if (!gpu) {
      found = Fail(gpu.error());
      return;
    }
    command.node = gpu->node;
    command.gpu = gpu->gpu;
  });
  if (!read) return ToGrpc(read);
  if (!found) return ToGrpc(found);
  const Outcome outcome = gateway_.Execute(Principal(*caller), "", command);
  if (!outcome.status) return ToGrpc(outcome.status);
  return ToGrpc(FillCluster(false, reply));
}

grpc::Status ControlService::DeclareNodeLost(grpc::ServerContext* context,
                                             const v1::DeclareNodeLostRequest* request, v1::Cluster* reply) {
  const Result<User> caller = Administrator(*context);
  if (!caller) return ToGrpc(caller.error());
  Result<NodeId> node = Fail(Internal(""));
  const Status read = gateway_.Read([&](const State& state) { node = FindNodeByName(state, request->node()); });
  if (!read) return ToGrpc(read);
  if (!node) return ToGrpc(node.error());
  const Outcome outcome = gateway_.Execute(Principal(*caller), "", gp::DeclareNodeLost{*node, request->reason()});
  if (!outcome.status) return ToGrpc(outcome.status);
  return ToGrpc(FillCluster(false, reply));
}

}  // namespace gp
