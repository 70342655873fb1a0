#pragma once

// What is out of service and prevents nodes from taking the ranks of a job.

#include <map>
#include <string>
#include <vector>

#include "domain/cluster/state/state.h"
#include "domain/scheduling/node_classes.h"

namespace gp {

// The open incidents of GPUs, for a copy of the state that does not contain them.
using IncidentsByGpu = std::map<GpuKey, IncidentId>;
IncidentsByGpu IncidentsOf(const State& state);

// The first GPU or node to repair, and how many more: "GPU 0 of n1 is missing (incident-3); 2 more
// GPUs are out of service". `classes`: classes whose nodes would do once repaired, for `gpus` GPUs
// on each node; `nodes`: how many nodes are missing; `incidents`: nullptr: those of the state. "":
// the classes have too few nodes.
std::string WhatIsOut(const State& state, const std::vector<const NodeClasses::Class*>& classes,
                      int gpus, int nodes, const IncidentsByGpu* incidents);

}  // namespace gp
