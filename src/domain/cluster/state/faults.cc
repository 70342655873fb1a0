#include "domain/cluster/state/faults.h"

#include "domain/model/jobs/job_spec.h"

namespace gp {

Instant EndOf(const FaultPolicy& policy, const Incident& incident) {
  if (incident.state == IncidentState::kClosed || incident.needs_person || incident.is_lasting ||
      incident.remedy != GpuRemedy::kNone)
    return kNever;
  return incident.last_at + policy.incident_window;
}

void FaultStore::IndexTrouble(const GpuKey& key, const GpuTrouble& trouble, int sign) {
  const bool is_waiting = trouble.remedy >= GpuRemedy::kTest &&
                          trouble.remedy <= GpuRemedy::kReset && trouble.task == GpuTask::kNone;
  if (!is_waiting) return;
  if (sign > 0) {
    remedies.insert(key);
  } else {
    remedies.erase(key);
  }
}

void FaultStore::IndexIncident(const FaultPolicy& policy, const Incident& incident, bool is_in) {
  const auto set = [&](auto& index, Instant at) {
    if (is_in) {
      index.insert({at, incident.id});
    } else {
      index.erase({at, incident.id});
    }
  };
  const Instant end = EndOf(policy, incident);
  if (end != kNever) set(incident_ends, end);
  if (incident.state == IncidentState::kClosed) set(closed_incidents, incident.closed_at);
}

void FaultStore::IndexIncidents(const FaultPolicy& policy) {
  incident_ends.clear();
  closed_incidents.clear();
  for (const auto& [id, incident] : incidents) IndexIncident(policy, incident, true);
}

}  // namespace gp
