#include <algorithm>

#include "domain/cluster/check/invariant_parts.h"
#include "domain/cluster/nodes/faults.h"

namespace gp {
namespace {

// A copy with the indexes of troubles and incidents rebuilt.
State Rebuilt(const State& state) {
  State fresh;
  fresh.policy = state.policy;
  fresh.incidents = state.incidents;
  for (const auto& [key, trouble] : state.troubles) IndexTrouble(fresh, key, trouble, 1);
  IndexIncidents(fresh);
  return fresh;
}

}  // namespace

void CheckFaults(const State& state, Violations& found) {
  const State fresh = Rebuilt(state);
  const auto expect = [&](bool same, const char* index) {
    if (!same) found.push_back({"index", std::string("index of ") + index + " is off"});
  };
  expect(fresh.remedies == state.remedies, "remedies");
  expect(fresh.incident_ends == state.incident_ends, "ends of incidents");
  expect(fresh.closed_incidents == state.closed_incidents, "closed incidents");
}

void CheckTroublesOf(const State& state, const Node& node, Violations& found) {
  for (auto next = state.troubles.lower_bound({node.id, 0});
       next != state.troubles.end() && next->first.node == node.id; ++next) {
    const auto& [key, trouble] = *next;
    const std::string name = node.facts->name + " GPU " + std::to_string(key.gpu);
    if (IsEmpty(trouble)) found.push_back({"index", name + ": a healthy GPU has troubles"});
    if (trouble.incident.value != 0 && !state.incidents.contains(trouble.incident))
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
