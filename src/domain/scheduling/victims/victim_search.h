#pragma once

// Finds victims on nodes so that the ranks of a job fit: whole gangs, and none without need.

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/cluster/state/state.h"
#include "domain/scheduling/scratch_nodes.h"
#include "domain/scheduling/victims/candidates_by_node.h"
#include "domain/scheduling/victims/node_victims.h"

namespace gp {

// The victims, each once, and the nodes on which the whole job fits once they have ended.
struct EvictionPlan {
  std::vector<const Job*> victims;
  std::vector<NodeId> nodes;  // in order of id
};

// Searches victims for one job. The state and the nodes must not change meanwhile. Not thread-safe.
class VictimSearch {
 public:
  VictimSearch(const State& state, const ScratchNodes& nodes, Instant at, const Job& job,
               MayEvict may_evict);
  VictimSearch(const VictimSearch&) = delete;
  VictimSearch& operator=(const VictimSearch&) = delete;

  // Victims for the whole job, on nodes of one trait, without any that are not needed. For one
  // node: the cheapest of all. For a gang on few nodes: the cheapest combination
  // (`combine_node_victims.h`); on more nodes: those that are cheapest one by one, then reduced.
  // nullopt: none was found.
  std::optional<EvictionPlan> Find(const std::vector<OnNode>& open);

 private:
  // The options for a rank by trait, the cheapest first, and the trait of the cheapest gang.
  struct Options {
    std::map<std::string, std::vector<NodeVictims>> by_trait;
    std::optional<std::string> best;
  };
  Options FindOptions(const std::vector<OnNode>& open);
  std::vector<std::vector<NodeVictims>> AllAmongCheapest(const Options& all_options,
                                                         const std::vector<OnNode>& open);
  EvictionPlan Gather(std::span<const NodeVictims> options, const Options& all_options,
                      const std::vector<OnNode>& open);
  void Spare(EvictionPlan& found, const std::vector<NodeId>& all);
  std::vector<NodeId> NodesWithout(const std::vector<const Job*>& victims,
                                   const std::vector<NodeId>& on);

  const State& state_;
  const Job& job_;
  const MayEvict may_evict_;
  NodeVictimSearch on_node_;
};

}  // namespace gp
