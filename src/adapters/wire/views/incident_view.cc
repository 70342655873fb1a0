#include "adapters/wire/views/incident_view.h"

#include "base/time.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/nodes/faults.h"
#include "domain/cluster/nodes/verdict.h"

namespace gp {

namespace {

IncidentId BreakerOver(const State& state, const Incident& incident) {
  const auto node = state.nodes.by_name.find(incident.node);
  if (node == state.nodes.by_name.end() || incident.gpu < 0 ||
      incident.state == IncidentState::kClosed)
    return {};
  const GpuKey key{node->second, incident.gpu};
  const GpuTrouble* trouble = FindTrouble(state, key);
  return trouble == nullptr || trouble->incident != incident.id ? IncidentId{} : HeldBy(state, key);
}

}  // namespace

void IncidentView(const State& state, const Incident& incident, v1::Incident* message) {
  constexpr double kMsPerHour = 3'600'000.0;
  message->set_id(ToText(incident.id));
  message->set_state(Name(incident.state));
  message->set_cause(incident.cause);
  message->set_pool(incident.pool);
  message->set_node(incident.node);
  if (incident.gpu >= 0) message->set_gpu(incident.gpu);
  message->set_uuid(incident.uuid);
  message->set_remedy(Name(incident.remedy));
  message->set_needs_person(incident.needs_person && incident.state != IncidentState::kClosed);
  message->set_opened_at(ToRfc3339(WallOf(state.time, incident.opened_at)));
  message->set_last_at(ToRfc3339(WallOf(state.time, incident.last_at)));
  if (incident.closed_at.ns != 0)
    message->set_closed_at(ToRfc3339(WallOf(state.time, incident.closed_at)));
  message->set_reports(incident.reports);
  for (const JobId job : incident.jobs) message->add_jobs(NameOf(state, job));
  message->set_jobs_hit(incident.jobs_hit);
  message->set_lost_gpu_hours(static_cast<double>(incident.lost_gpu_ms) / kMsPerHour);
  message->set_person(incident.person);
  message->set_note(incident.note);
  if (const IncidentId held = BreakerOver(state, incident); held.value != 0)
    message->set_held_by(ToText(held));
  for (const IncidentStep& step : incident.steps) {
    v1::Incident::Step* part = message->add_steps();
    part->set_at(ToRfc3339(WallOf(state.time, step.at)));
    part->set_what(step.what);
  }
}

}  // namespace gp
