#include "simulation/scenario/node_arrivals.h"

#include "simulation/engine/named_node.h"

namespace gp {
namespace {

// Groups of the same name share one numbering, which skips names of nodes of a recorded run.
std::string NameFor(const NodeGroup& group, const ScenarioIds& ids,
                    std::map<std::string, int64_t>& counts) {
  std::string name;
  do {
    name = group.name + "-" + std::to_string(++counts[group.name]);
  } while (ids.nodes.contains(name));
  return name;
}

}  // namespace

void AddNodes(const Scenario& scenario, Instant begin, ScenarioIds& ids, RunSteps& steps) {
  std::map<std::string, int64_t> counts;
  for (const NodeGroup& group : scenario.nodes) {
    for (int64_t i = 0; i < group.count; ++i) {
      const auto facts = NamedNode(*group.facts, NameFor(group, ids, counts));
      const NodeId id = ids.next_node;
      ++ids.next_node.value;
      ids.nodes[facts->name] = {id, facts};
      steps.push_back({begin, NodeArrival{id, facts}});
      if (!group.pool && group.labels.empty()) continue;
      steps.push_back({begin, ChangeNode{id, group.pool, group.labels, {}}});
    }
  }
}

}  // namespace gp
