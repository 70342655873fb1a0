// Incidents of GPUs, and the actions on them.

#include <algorithm>

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/gpu_name.h"
#include "adapters/wire/views/incident_view.h"

namespace gp {
namespace {

constexpr int kLimitDefault = 100;
constexpr int kLimitMax = 1'000;

void Fill(const State& state, const v1::ListIncidentsRequest& request,
          v1::ListIncidentsReply* reply) {
  const int limit =
      std::clamp(request.limit() == 0 ? kLimitDefault : request.limit(), 1, kLimitMax);
  int64_t total = 0;
  for (auto next = state.faults.incidents.rbegin(); next != state.faults.incidents.rend(); ++next) {
    const Incident& incident = next->second;
    if (!request.all() && incident.state == IncidentState::kClosed) continue;
    if (!request.node().empty() && incident.node != request.node()) continue;
    if (++total <= limit) IncidentView(state, incident, reply->add_incidents());
  }
  reply->set_total(total);
}

}  // namespace

Status ControlApi::ListIncidents(const Caller&, const v1::ListIncidentsRequest& request,
                                 v1::ListIncidentsReply* reply) {
  Status found = Ok();
  const Status read = gateway_.Read([&](const State& state) {
    const bool is_known = request.node().empty() || state.nodes.by_name.contains(request.node());
    if (!is_known) found = Fail(FindNodeByName(state, request.node()).error());
    if (is_known) Fill(state, request, reply);
  });
  return read ? found : read;
}

Status ControlApi::FillIncident(const std::string& id, v1::Incident* reply) {
  const IncidentId wanted = GP_TRY(ParseIncidentId(id));
  Status found = Ok();
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    const auto incident = state.faults.incidents.find(wanted);
    if (incident == state.faults.incidents.end()) {
      found = Fail(NotFound("no incident " + ToText(wanted)));
    } else {
      IncidentView(state, incident->second, reply);
    }
  }));
  return found;
}

Status ControlApi::GetIncident(const Caller&, const v1::GetIncidentRequest& request,
                               v1::Incident* reply) {
  return FillIncident(request.id(), reply);
}

Status ControlApi::ChangeIncident(const Caller& caller, const v1::ChangeIncidentRequest& request,
                                  v1::Incident* reply) {
  const Result<IncidentId> id = ParseIncidentId(request.id());
  if (!id) return Fail(id.error());
  if (!v1::ChangeIncidentRequest::Action_IsValid(request.action()))
    return Fail(InvalidArgument("action: ACKNOWLEDGE or CLOSE"));
  const IncidentState to = request.action() == v1::ChangeIncidentRequest::CLOSE
                               ? IncidentState::kClosed
                               : IncidentState::kAcknowledged;
  const Outcome outcome = Execute(caller, gp::ChangeIncident{*id, to, request.note()});
  if (!outcome.status) return outcome.status;
  return FillIncident(request.id(), reply);
}

}  // namespace gp
