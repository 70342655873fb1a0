#include "adapters/wire/incident_view.h"

#include "base/time.h"

namespace gp {

void IncidentView(const TimeLine& time, const Incident& incident, v1::Incident* message) {
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
  message->set_opened_at(ToRfc3339(WallOf(time, incident.opened_at)));
  message->set_last_at(ToRfc3339(WallOf(time, incident.last_at)));
  if (incident.closed_at.ns != 0) message->set_closed_at(ToRfc3339(WallOf(time, incident.closed_at)));
  message->set_reports(incident.reports);
  for (const JobId job : incident.jobs) message->add_jobs(ToText(job));
  message->set_jobs_hit(incident.jobs_hit);
  message->set_lost_gpu_hours(static_cast<double>(incident.lost_gpu_ms) / kMsPerHour);
  message->set_person(incident.person);
  message->set_note(incident.note);
  for (const IncidentStep& step : incident.steps) {
    v1::Incident::Step* part = message->add_steps();
    part->set_at(ToRfc3339(WallOf(time, step.at)));
    part->set_what(step.what);
  }
}

}  // namespace gp
