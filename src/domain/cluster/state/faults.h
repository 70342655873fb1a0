#pragma once

// Faulty GPUs and their incidents: docs/faults.md.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "domain/faults/fault_policy.h"
#include "domain/faults/incident.h"
#include "domain/faults/trouble.h"

namespace gp {

// When the open incident closes automatically; kNever: it does not.
Instant EndOf(const FaultPolicy& policy, const Incident& incident);

// `remedies`, `incident_ends` and `closed_incidents` are indexes, which follow from the rest and,
// the ends, from the policy.
struct FaultStore {
  uint64_t last_incident = 0;                // the highest incident id that was given
  uint64_t last_task = 0;                    // the highest number of a task on a GPU
  std::map<GpuKey, GpuTrouble> troubles;     // none for healthy GPUs
  std::map<IncidentId, Incident> incidents;  // open ones, and closed ones for a while
  // By pool: when GPUs went out of service automatically, within the window
  std::map<std::string, std::vector<Instant>> out_of_service;
  std::map<std::string, IncidentId> breakers;  // pools without automatic remedies

  // GPUs with a remedy that has not begun
  std::set<GpuKey> remedies;
  // Open incidents that close automatically, by when
  std::set<std::pair<Instant, IncidentId>> incident_ends;
  std::set<std::pair<Instant, IncidentId>> closed_incidents;

  // Adds the GPU's trouble, or the incident, to the indexes; sign -1 or false: removes it.
  void IndexTrouble(const GpuKey& key, const GpuTrouble& trouble, int sign);
  void IndexIncident(const FaultPolicy& policy, const Incident& incident, bool is_in);
  // Rebuilds the indexes of incidents.
  void IndexIncidents(const FaultPolicy& policy);
};

}  // namespace gp
