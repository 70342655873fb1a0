#pragma once

// NodeVictims for one rank of a job on one node, made by taking away some of those who run there:
// whole gangs, and none that could be spared.

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

// What it costs that these jobs leave: less is better, the first field that differs decides.
struct EvictionCost {
  int priority = -1;  // the highest of theirs; -1: nobody leaves
  int64_t gpus = 0;   // of all of them, wherever they are
  size_t jobs = 0;
  int64_t priorities = 0;  // all of theirs together

  auto operator<=>(const EvictionCost&) const = default;
  EvictionCost operator+(const EvictionCost& other) const;
};
EvictionCost CostOf(const Job& victims);
EvictionCost CostOf(const std::vector<const Job*>& victims);

// Of equal ones the lower node.
using NodeEvictionCost = std::pair<EvictionCost, NodeId>;

// One node with room made on it.
struct NodeVictims {
  NodeId node;
  std::vector<const Job*> victims;
  std::string trait;

  NodeEvictionCost Cost() const { return {CostOf(victims), node}; }
};

// Those on one node who may have to go.
struct OnNode {
  NodeId node;
  std::span<Contender> candidates;
};

// The candidates, each as often as it holds nodes, side by side for each node.
class CandidatesByNode {
 public:
  CandidatesByNode(const State& state, const std::vector<Contender>& candidates);

  // `all`: also the nodes without any, where a rank of a gang may fit as it is.
  std::vector<OnNode> Open(const std::set<NodeId>& left_out, bool all);

 private:
  std::vector<size_t> begins_;  // by node, and the end
  std::vector<Contender> contenders_;
};

// Who leaves, each once, and the nodes on which there is room for the whole job when they have.
struct EvictionPlan {
  std::vector<const Job*> victims;
  std::vector<NodeId> nodes;  // in order of id
};

class VictimSearch {
 public:
  // Whether all of these may go together; so may, then, any of them.
  using MayEvict = std::function<bool(const std::vector<const Job*>&)>;
  VictimSearch(const State& state, const ScratchNodes& nodes, Instant at, const Job& job,
               MayEvict may_evict);

  // NodeVictims for the whole job, on nodes of one trait, and nobody goes who can be spared.  For
  // one node the cheapest of all.  For a gang the cheapest of all on few nodes (`combine_rooms.h`);
  // on more, the nodes that are cheapest one by one, made cheaper among these.  nullopt: none was
  // found.
  std::optional<EvictionPlan> Find(const std::vector<OnNode>& open);

 private:
  // Rooms by their trait, the cheapest first, and the trait of the cheapest gang of them.
  struct Made {
    std::map<std::string, std::vector<NodeVictims>> by_trait;
    std::optional<std::string> best;
  };
  Made FindOnEach(const std::vector<OnNode>& open);
  std::vector<std::vector<NodeVictims>> AllAmongCheapest(const Made& made,
                                                         const std::vector<OnNode>& open);
  EvictionPlan Gather(std::span<const NodeVictims> options, const Made& made,
                      const std::vector<OnNode>& open);
  std::vector<NodeId> NodesWithout(const std::vector<const Job*>& victims,
                                   const std::vector<NodeId>& on);
  std::optional<NodeEvictionCost> LeastCost(const OnNode& on) const;
  std::optional<NodeVictims> FindOn(const OnNode& on);
  std::vector<NodeVictims> FindCheapestOn(const OnNode& on, size_t options_max);
  std::optional<NodeVictims> FindAnyOn(const OnNode& on);
  bool FitsIn(NodeVictims& option);
  std::optional<NodeChoice> ChooseWithout(const std::vector<const Job*>& victims, NodeId id);

  const State& state_;
  const ScratchNodes& nodes_;
  const Instant at_;
  const Job& job_;
  const MayEvict may_evict_;
  Node scratch_;  // one for all: what it has allocated is used again
};

}  // namespace gp
