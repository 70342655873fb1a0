// Queues, pools, labels and priorities.

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/gpu_name.h"
#include "adapters/wire/views/queue_views.h"
#include "base/text.h"
#include "domain/cluster/arrays.h"

namespace gp {
namespace {

// A queue's settings need the role admin in the queue above.
Status CheckGoverns(const Caller& caller, const std::string& queue) {
  const std::string above = ParentOf(queue);
  if (caller.In(above) >= Role::kAdmin) return Ok();
  return Fail(PermissionDenied("name: " + caller.user.name + " lacks the role admin " +
                               (above.empty() ? "everywhere" : "in " + above) +
                               " (gpu-platform whoami)"));
}

}  // namespace

Status ControlApi::FillQueues(v1::ListQueuesReply* reply) {
  return gateway_.Read([&](const State& state) { QueuesView(state, gateway_.Now(), reply); });
}

Status ControlApi::ListQueues(const Caller&, const v1::ListQueuesRequest&,
                              v1::ListQueuesReply* reply) {
  return FillQueues(reply);
}

Status ControlApi::SetQueue(const Caller& caller, const v1::SetQueueRequest& request,
                            v1::Queue* reply) {
  GP_CHECK_OK(CheckGoverns(caller, request.name()));
  const Outcome outcome = Execute(caller, GP_TRY(FromProto(request)));
  if (!outcome.status) return outcome.status;
  return gateway_.Read([&](const State& state) {
    const auto queue = state.queues.all.find(request.name());
    if (queue != state.queues.all.end()) QueueView(state, queue->second, gateway_.Now(), reply);
  });
}

Status ControlApi::DeleteQueue(const Caller& caller, const v1::DeleteQueueRequest& request,
                               v1::ListQueuesReply* reply) {
  GP_CHECK_OK(CheckGoverns(caller, request.name()));
  const Outcome outcome = Execute(caller, gp::DeleteQueue{request.name()});
  if (!outcome.status) return outcome.status;
  bool is_gone = false;  // a repeated request may find a new queue
  GP_CHECK_OK(gateway_.Read(
      [&](const State& state) { is_gone = !state.queues.all.contains(request.name()); }));
  if (!outcome.events.empty() || is_gone) GP_CHECK_OK(DropSecretsOf(caller, request.name()));
  return FillQueues(reply);
}

Status ControlApi::ChangeNode(const Caller& caller, const v1::ChangeNodeRequest& request,
                              v1::Cluster* reply) {
  gp::ChangeNode command;
  if (request.has_pool()) command.pool = request.pool();
  command.labels.insert(request.labels().begin(), request.labels().end());
  command.labels_removed.assign(request.labels_removed().begin(), request.labels_removed().end());
  Result<NodeId> node = Fail(Internal(""));
  const Status read =
      gateway_.Read([&](const State& state) { node = FindNodeByName(state, request.node()); });
  if (!read) return read;
  if (!node) return Fail(node.error());
  command.node = *node;
  const Outcome outcome = Execute(caller, std::move(command));
  if (!outcome.status) return outcome.status;
  return FillCluster({}, reply);
}

Status ControlApi::SetPriority(const Caller& caller, const v1::SetPriorityRequest& request,
                               v1::Job* reply) {
  const JobId id = GP_TRY(JobFor(caller, JobAct::kChange, request.job_id()));
  bool may_raise = false;
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    const Job* job = state.FindJob(id);
    may_raise = job != nullptr && caller.In(job->queue) >= Role::kAdmin;
  }));
  return Change(caller, ToText(id), reply,
                [&](JobId job) { return gp::SetPriority{job, request.priority(), may_raise}; });
}

}  // namespace gp
