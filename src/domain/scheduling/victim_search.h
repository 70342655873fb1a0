#pragma once

// Finds victims on nodes so that the ranks of a job fit: whole gangs, and none without need.

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "domain/cluster/preemption.h"
#include "domain/cluster/state.h"
#include "domain/placement/choose_gpus.h"
#include "domain/scheduling/scratch_nodes.h"

namespace gp {

// The cost of evicting some jobs: lower is better; the first field that differs decides.
struct EvictionCost {
  int priority = -1;  // the highest of them; -1: no victims
  int64_t gpus = 0;   // of all victims, on all nodes
  size_t jobs = 0;
  int64_t priorities = 0;  // sum over all victims

  auto operator<=>(const EvictionCost&) const = default;
  EvictionCost operator+(const EvictionCost& other) const;
};
EvictionCost CostOf(const Job& victim);
EvictionCost CostOf(const std::vector<const Job*>& victims);

// Between equal costs, the lower node decides.
using NodeEvictionCost = std::pair<EvictionCost, NodeId>;

// A node, and the victims there that let one rank fit.
struct NodeVictims {
  NodeId node;
  std::vector<const Job*> victims;
  std::string trait;

  NodeEvictionCost Cost() const { return {CostOf(victims), node}; }
};

// The candidates for eviction on one node.
struct OnNode {
  NodeId node;
  std::span<Contender> candidates;
};

// The candidates for eviction, grouped by node: a gang appears once on each of its nodes.
class CandidatesByNode {
 public:
  CandidatesByNode(const State& state, const std::vector<Contender>& candidates);

  // `all`: also nodes without candidates, where a rank of a gang may fit as it is.
  std::vector<OnNode> Open(const std::set<NodeId>& left_out, bool all);

 private:
  std::vector<size_t> begins_;  // by node; the last one is the end
  std::vector<Contender> contenders_;
};

// The victims, each once, and the nodes on which the whole job fits once they have ended.
struct EvictionPlan {
  std::vector<const Job*> victims;
  std::vector<NodeId> nodes;  // in order of id
};

// Searches victims for one job. The state and the nodes must not change meanwhile. Not thread-safe.
class VictimSearch {
 public:
  // Whether all of these jobs may be evicted together. If so, any subset may be as well.
  using MayEvict = std::function<bool(const std::vector<const Job*>&)>;
  VictimSearch(const State& state, const ScratchNodes& nodes, Instant at, const Job& job,
               MayEvict may_evict);

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
  std::vector<NodeId> NodesWithout(const std::vector<const Job*>& victims,
                                   const std::vector<NodeId>& on);
  std::optional<NodeEvictionCost> LeastCost(const OnNode& on) const;
  std::optional<NodeVictims> FindOn(const OnNode& on);
  std::vector<NodeVictims> FindCheapestOn(const OnNode& on, size_t options_max);
  std::optional<NodeVictims> FindAnyOn(const OnNode& on);
  bool FitsAfterEviction(NodeVictims& option);
  std::optional<NodeChoice> ChooseWithout(const std::vector<const Job*>& victims, NodeId id);

  const State& state_;
  const ScratchNodes& nodes_;
  const Instant at_;
  const Job& job_;
  const MayEvict may_evict_;
  Node scratch_;  // reused, to reuse its allocations
};

}  // namespace gp
