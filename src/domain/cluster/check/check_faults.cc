#include <algorithm>

#include "domain/cluster/check/invariant_parts.h"
#include "domain/cluster/nodes/faults.h"

namespace gp {

void CheckFaults(const State& state, Violations& found) {
  FaultStore rebuilt;
  rebuilt.incidents = state.faults.incidents;
  for (const auto& [key, trouble] : state.faults.troubles) rebuilt.IndexTrouble(key, trouble, 1);
  rebuilt.IndexIncidents(state.policy.faults);
  const auto expect = [&](bool same, const char* index) {
    if (!same) found.push_back({"index", std::string("index of ") + index + " is off"});
  };
  expect(rebuilt.remedies == state.faults.remedies, "remedies");
  expect(rebuilt.incident_ends == state.faults.incident_ends, "ends of incidents");
  expect(rebuilt.closed_incidents == state.faults.closed_incidents, "closed incidents");
}

void CheckTroublesOf(const State& state, const Node& node, Violations& found) {
  for (auto next = state.faults.troubles.lower_bound({node.id, 0});
       next != state.faults.troubles.end() && next->first.node == node.id; ++next) {
    const auto& [key, trouble] = *next;
    const std::string name = node.facts->name + " GPU " + std::to_string(key.gpu);
    if (IsEmpty(trouble)) found.push_back({"index", name + ": a healthy GPU has troubles"});
    if (trouble.incident.value != 0 && !state.faults.incidents.contains(trouble.incident))
      found.push_back({"index", name + ": names an incident that is not there"});
    const GpuCondition condition = GpuAt(state, key).condition;
    if (trouble.remedy >= GpuRemedy::kDrainReset &&
        (condition == GpuCondition::kAvailable || condition == GpuCondition::kUnlinked)) {
      found.push_back(
          {"I11", name + ": may be granted although its remedy is " + Name(trouble.remedy)});
    }
  }
}

}  // namespace gp
