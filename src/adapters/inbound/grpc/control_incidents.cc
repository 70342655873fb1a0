// What happened to GPUs, and what was done about it.

#include <algorithm>

#include "adapters/inbound/grpc/control_service.h"
#include "adapters/inbound/grpc/gpu_name.h"
#include "adapters/inbound/grpc/status.h"
#include "adapters/wire/incident_view.h"

namespace gp {
namespace {

constexpr int kLimitDefault = 100;
constexpr int kLimitMax = 1'000;

Result<IncidentId> IdFrom(const std::string& text) {
  const auto id = ParseIncidentId(text);
  if (!id) return Fail(InvalidArgument("\"" + text.substr(0, 60) + "\" names no incident: they are named as incident-0001"));
  return *id;
}

void Fill(const State& state, const v1::ListIncidentsRequest& request, v1::ListIncidentsReply* reply) {
  const int limit = std::clamp(request.limit() == 0 ? kLimitDefault : request.limit(), 1, kLimitMax);
  int64_t total = 0;
  for (auto next = state.incidents.rbegin(); next != state.incidents.rend(); ++next) {
    const Incident& incident = next->second;
    if (!request.all() && incident.state == IncidentState::kClosed) continue;
    if (!request.node().empty() && incident.node != request.node()) continue;
    if (++total <= limit) IncidentView(incident, reply->add_incidents());
  }
  reply->set_total(total);
}

}  // namespace

grpc::Status ControlService::ListIncidents(grpc::ServerContext* context, const v1::ListIncidentsRequest* request, v1::ListIncidentsReply* reply) {
  const Result<User> caller = Caller(*context);
  if (!caller) return ToGrpc(caller.error());
  Status found = Ok();
  const Status read = gateway_.Read([&](const State& state) {
    const bool is_known = request->node().empty() || state.nodes_by_name.contains(request->node());
    if (!is_known) found = Fail(FindNodeByName(state, request->node()).error());
    if (is_known) Fill(state, *request, reply);
  });
  return ToGrpc(read ? found : read);
}

Status ControlService::FillIncident(const std::string& id, v1::Incident* reply) {
  const IncidentId wanted = GP_TRY(IdFrom(id));
  Status found = Ok();
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    const auto incident = state.incidents.find(wanted);
    if (incident == state.incidents.end()) {
      found = Fail(NotFound("no incident " + ToText(wanted)));
    } else {
      IncidentView(incident->second, reply);
    }
  }));
  return found;
}

grpc::Status ControlService::GetIncident(grpc::ServerContext* context, const v1::GetIncidentRequest* request, v1::Incident* reply) {
  const Result<User> caller = Caller(*context);
  if (!caller) return ToGrpc(caller.error());
  return ToGrpc(FillIncident(request->id(), reply));
}

grpc::Status ControlService::ChangeIncident(grpc::ServerContext* context, const v1::ChangeIncidentRequest* request, v1::Incident* reply) {
  const Result<User> caller = Administrator(*context);
  if (!caller) return ToGrpc(caller.error());
  const Result<IncidentId> id = IdFrom(request->id());
  if (!id) return ToGrpc(id.error());
  if (!v1::ChangeIncidentRequest::Action_IsValid(request->action())) return ToGrpc(InvalidArgument("action: ACKNOWLEDGE or CLOSE"));
  const IncidentState to = request->action() == v1::ChangeIncidentRequest::CLOSE ? IncidentState::kClosed : IncidentState::kAcknowledged;
  const Outcome outcome = gateway_.Execute(Principal(*caller), "", gp::ChangeIncident{*id, to, request->note()});
  if (!outcome.status) return ToGrpc(outcome.status);
  return ToGrpc(FillIncident(request->id(), reply));
}

}  // namespace gp
