#pragma once

// Victims on one node: which of the jobs that run there must end so that one rank of a job fits.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "domain/placement/choose_gpus.h"
#include "domain/scheduling/scratch_nodes.h"
#include "domain/scheduling/victims/candidates_by_node.h"
#include "domain/scheduling/victims/eviction_cost.h"

namespace gp {

// Whether all of these jobs may be evicted together. If so, any subset may be as well.
using MayEvict = std::function<bool(const std::vector<const Job*>&)>;

// A node, and the victims there that let one rank fit.
struct NodeVictims {
  NodeId node;
  std::vector<const Job*> victims;
  std::string trait;

  NodeEvictionCost Cost() const { return {CostOf(victims), node}; }
};

// Searches the victims for one rank of a job, on one node at a time. The state and the nodes must
// not change meanwhile. Not thread-safe.
class NodeVictimSearch {
 public:
  // All arguments must outlive this.
  NodeVictimSearch(const State& state, const ScratchNodes& nodes, Instant at, const Job& job,
                   const MayEvict& may_evict)
      : state_(state), nodes_(nodes), at_(at), job_(job), may_evict_(may_evict) {}

  // A lower bound of the cost on the node; nullopt: its candidates hold too few GPUs. May reorder
  // the candidates.
  std::optional<NodeEvictionCost> LeastCost(const OnNode& on) const;
  // The cheapest victims there; if there are many candidates, just some without any that is not
  // needed. nullopt: evicting all candidates would not be enough. Sorts the candidates in the order
  // of eviction.
  std::optional<NodeVictims> FindCheapest(const OnNode& on);
  // Every victim set without an unnecessary victim, the cheapest first; of equal ones, by the order
  // of eviction. If there are many candidates: one set. REQUIRES: FindCheapest was called for it.
  std::vector<NodeVictims> FindAll(const OnNode& on);
  // The trait of the node if a rank fits there once these jobs have ended; nullopt: none fits.
  std::optional<std::string> TraitWithout(const std::vector<const Job*>& victims, NodeId id);

 private:
  std::vector<NodeVictims> CompareSets(const OnNode& on, size_t options_max);
  std::optional<NodeVictims> FindAny(const OnNode& on);
  bool FitsAfterEviction(NodeVictims& option);

  const State& state_;
  const ScratchNodes& nodes_;
  const Instant at_;
  const Job& job_;
  const MayEvict& may_evict_;
  Node scratch_;  // reused, to reuse its allocations
};

}  // namespace gp
