#include "domain/scheduling/reasons/what_is_out.h"

#include <bit>
#include <set>

#include "base/text.h"
#include "domain/cluster/nodes/faults.h"
#include "domain/placement/out_of_service.h"

namespace gp {
namespace {

// In the order of the text: problems that are quick to repair come first.
struct Outage {
  bool is_whole_node = false;
  int gpus = 0;  // out of service
  NodeId node;
  auto operator<=>(const Outage&) const = default;
};

bool IsOut(const Node& node) { return node.condition != NodeCondition::kUp || node.draining; }

std::set<Outage> Candidates(const std::vector<const NodeClasses::Class*>& classes, int gpus,
                            int nodes) {
  std::set<Outage> found;
  for (const NodeClasses::Class* one : classes) {
    const bool is_whole_node = IsOut(one->example);
    const int out = std::popcount(OutOfService(one->example, gpus));
    if (!is_whole_node && out == 0) continue;
    int left = nodes;  // more nodes of a class are never named
    for (const NodeId node : one->members) {
      if (left-- == 0) break;
      found.insert({is_whole_node, out, node});
    }
  }
  return found;
}

// 0: the GPU has none.
IncidentId IncidentOf(const State& state, const GpuKey& key, const IncidentsByGpu* incidents) {
  if (incidents != nullptr) {
    const auto found = incidents->find(key);
    return found == incidents->end() ? IncidentId{} : found->second;
  }
  const GpuTrouble* trouble = FindTrouble(state, key);
  return trouble == nullptr ? IncidentId{} : trouble->incident;
}

// "GPU 0 of n1 is missing (incident-3)", "node n1 is lost"
std::string Describe(const State& state, const Outage& one, int gpus,
                     const IncidentsByGpu* incidents) {
  const Node& node = *state.FindNode(one.node);
  if (one.is_whole_node)
    return "node " + node.facts->name +
           (node.condition == NodeCondition::kUp ? " is draining" : " is lost");
  const int gpu = std::countr_zero(OutOfService(node, gpus));
  const IncidentId incident = IncidentOf(state, {node.id, gpu}, incidents);
  return "GPU " + std::to_string(gpu) + " of " + node.facts->name + " " + WhatAils(node, gpu) +
         (incident.value == 0 ? "" : " (" + ToText(incident) + ")");
}

// "2 more GPUs and 1 more node are out of service"
std::string More(int gpus, int nodes) {
  if (gpus + nodes == 0) return "";
  std::string text = gpus == 0 ? "" : Count(gpus, "more GPU");
  if (nodes > 0) text += (text.empty() ? "" : " and ") + Count(nodes, "more node");
  return "; " + text + (gpus + nodes == 1 ? " is" : " are") + " out of service";
}

}  // namespace

IncidentsByGpu IncidentsOf(const State& state) {
  IncidentsByGpu incidents;
  for (const auto& [key, trouble] : state.faults.troubles) {
    if (trouble.incident.value != 0) incidents.emplace_hint(incidents.end(), key, trouble.incident);
  }
  return incidents;
}

std::string WhatIsOut(const State& state, const std::vector<const NodeClasses::Class*>& classes,
                      int gpus, int nodes, const IncidentsByGpu* incidents) {
  const std::set<Outage> found = Candidates(classes, gpus, nodes);
  if (nodes <= 0 || static_cast<int>(found.size()) < nodes) return "";
  const Outage& first = *found.begin();
  int more_gpus = first.is_whole_node ? 0 : -1;
  int more_nodes = first.is_whole_node ? -1 : 0;
  for (auto one = found.begin(); nodes > 0; ++one, --nodes) {
    if (one->is_whole_node) {
      ++more_nodes;
    } else {
      more_gpus += one->gpus;
    }
  }
  return Describe(state, first, gpus, incidents) + More(more_gpus, more_nodes);
}

}  // namespace gp
