// Nodes and GPUs, and their service state.

#include "adapters/inbound/api/control_api.h"

#include <algorithm>

#include "adapters/inbound/api/gpu_name.h"
#include "adapters/wire/job_spec.h"
#include "adapters/wire/views/cluster_view.h"
#include "adapters/wire/views/node_detail_view.h"
#include "adapters/wire/views/views.h"
#include "base/text.h"
#include "base/units.h"

namespace gp {
namespace {

// The command without its target.
Result<ChangeService> ReadChange(const Caller& caller, const v1::ChangeServiceRequest& request) {
  if (request.gpu().empty() == request.node().empty()) {
    return Fail(InvalidArgument("name either a GPU or a node"));
  }
  if (!v1::ChangeServiceRequest::Action_IsValid(request.action())) {
    return Fail(InvalidArgument("action: DRAIN, OFFLINE, ONLINE or RESET"));
  }
  ChangeService command;
  command.action = static_cast<ServiceAction>(request.action());
  command.force = request.force();
  command.deadline = FromMilliseconds(request.deadline_ms());
  command.reason =
      caller.user.name + (request.reason().empty() ? "" : ": " + Printable(request.reason(), 200));
  return command;
}

// Fills in the node, or the GPU and its node.
Status FindTarget(const State& state, const v1::ChangeServiceRequest& request,
                  ChangeService& command) {
  if (!request.node().empty()) {
    command.node = GP_TRY(FindNodeByName(state, request.node()));
    return Ok();
  }
  const GpuPlace place = GP_TRY(FindGpu(state, request.gpu()));
  command.node = place.node;
  command.gpu = place.gpu;
  return Ok();
}

}  // namespace

Status ControlApi::FillCluster(const v1::GetClusterRequest& request, v1::Cluster* reply) {
  std::map<std::string, NodeId> ids;
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    ClusterView(state, gateway_.Now(), request.totals_only(), reply);
    if (request.readings()) ids = state.nodes.by_name;
  }));
  reply->set_version(about_.version);
  if (const Duration deaf = gateway_.Load().deaf; deaf.ns > 0)
    reply->set_unread_seconds(SecondsOf(deaf));
  FillControllersOf(reply);
  FillArchiveOf(reply);
  if (!request.readings()) return Ok();
  for (v1::Node& node : *reply->mutable_nodes()) {
    const auto latest = readings_.Of(ids.at(node.name()));
    if (!latest) continue;
    node.set_seconds_since_report(static_cast<double>((gateway_.Now() - latest->at).ns) / 1e9);
    for (v1::Gpu& gpu : *node.mutable_gpus()) {
      const auto seen = latest->gpus.find(gpu.uuid());
      if (seen == latest->gpus.end()) continue;
      *gpu.mutable_readings() = seen->second;
      AgeReadings(gateway_.Now() - latest->at, gpu.mutable_readings());
    }
  }
  return Ok();
}

Status ControlApi::GetCluster(const Caller&, const v1::GetClusterRequest& request,
                              v1::Cluster* reply) {
  GP_CHECK_OK(FillCluster(request, reply));
  return request.node().empty() ? Ok() : KeepNode(request.node(), reply);
}

Status ControlApi::KeepNode(const std::string& name, v1::Cluster* reply) {
  Status found = Ok();
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    const auto id = FindNodeByName(state, name);
    if (!id) {
      found = Fail(id.error());
      return;
    }
    v1::Node kept;
    for (v1::Node& node : *reply->mutable_nodes()) {
      if (node.name() == name) kept.Swap(&node);
    }
    LeasesView(state, *state.FindNode(*id), &kept);
    reply->clear_nodes();
    reply->add_nodes()->Swap(&kept);
  }));
  return found;
}

Status ControlApi::ChangeService(const Caller& caller, const v1::ChangeServiceRequest& request,
                                 v1::Cluster* reply) {
  gp::ChangeService command = GP_TRY(ReadChange(caller, request));
  Status found = Ok();
  GP_CHECK_OK(
      gateway_.Read([&](const State& state) { found = FindTarget(state, request, command); }));
  if (!found) return found;
  const Outcome outcome = Execute(caller, command);
  if (!outcome.status) return outcome.status;
  return FillCluster({}, reply);
}

Status ControlApi::DeclareNodeLost(const Caller& caller, const v1::DeclareNodeLostRequest& request,
                                   v1::Cluster* reply) {
  Result<NodeId> node = Fail(Internal(""));
  const Status read =
      gateway_.Read([&](const State& state) { node = FindNodeByName(state, request.node()); });
  if (!read) return read;
  if (!node) return Fail(node.error());
  const Outcome outcome = Execute(caller, gp::DeclareNodeLost{*node, request.reason()});
  if (!outcome.status) return outcome.status;
  return FillCluster({}, reply);
}

}  // namespace gp
