// Queues, pools, labels and priorities.

#include "adapters/inbound/grpc/control_service.h"
#include "adapters/inbound/grpc/gpu_name.h"
#include "adapters/inbound/grpc/status.h"
#include "adapters/wire/queue_views.h"
#include "base/text.h"

namespace gp {

Status ControlService::FillQueues(v1::ListQueuesReply* reply) {
  return gateway_.Read([&](const State& state) { QueuesView(state, gateway_.Now(), reply); });
}

grpc::Status ControlService::ListQueues(grpc::ServerContext* context, const v1::ListQueuesRequest*, v1::ListQueuesReply* reply) {
  const Result<User> caller = Caller(*context);
  if (!caller) return ToGrpc(caller.error());
  return ToGrpc(FillQueues(reply));
}

grpc::Status ControlService::SetQueue(grpc::ServerContext* context, const v1::SetQueueRequest* request, v1::Queue* reply) {
  const Result<User> caller = Administrator(*context);
  if (!caller) return ToGrpc(caller.error());
  const Outcome outcome = gateway_.Execute(Principal(*caller), "", FromProto(*request));
  if (!outcome.status) return ToGrpc(outcome.status);
  return ToGrpc(gateway_.Read([&](const State& state) {
    const auto queue = state.queues.find(request->name());
    if (queue != state.queues.end()) QueueView(state, queue->second, gateway_.Now(), reply);
  }));
}

grpc::Status ControlService::DeleteQueue(grpc::ServerContext* context, const v1::DeleteQueueRequest* request, v1::ListQueuesReply* reply) {
  const Result<User> caller = Administrator(*context);
  if (!caller) return ToGrpc(caller.error());
  const Outcome outcome = gateway_.Execute(Principal(*caller), "", gp::DeleteQueue{request->name()});
  if (!outcome.status) return ToGrpc(outcome.status);
  return ToGrpc(FillQueues(reply));
}

grpc::Status ControlService::ChangeNode(grpc::ServerContext* context, const v1::ChangeNodeRequest* request, v1::Cluster* reply) {
  const Result<User> caller = Administrator(*context);
  if (!caller) return ToGrpc(caller.error());
  gp::ChangeNode command;
  if (request->has_pool()) command.pool = request->pool();
  command.labels.insert(request->labels().begin(), request->labels().end());
  command.labels_removed.assign(request->labels_removed().begin(), request->labels_removed().end());
  Result<NodeId> node = Fail(Internal(""));
  const Status read = gateway_.Read([&](const State& state) { node = FindNodeByName(state, request->node()); });
  if (!read) return ToGrpc(read);
  if (!node) return ToGrpc(node.error());
  command.node = *node;
  const Outcome outcome = gateway_.Execute(Principal(*caller), "", std::move(command));
  if (!outcome.status) return ToGrpc(outcome.status);
  return ToGrpc(FillCluster(false, reply));
}

grpc::Status ControlService::SetPriority(grpc::ServerContext* context, const v1::SetPriorityRequest* request, v1::Job* reply) {
  const bool may_raise = Administrator(*context).has_value();
  return Change(context, request->job_id(), reply, [&](JobId id) { return gp::SetPriority{id, request->priority(), may_raise}; });
}

}  // namespace gp
