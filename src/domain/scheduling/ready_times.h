#pragma once

// When nodes can hold a job, as far as the time limits of running jobs say. Valid for one state as
// it changes. Results for a node are kept until the node changes.

#include <optional>
#include <vector>

#include "domain/cluster/state/state.h"
#include "domain/scheduling/scratch_nodes.h"
#include "domain/scheduling/shape_ranking.h"

namespace gp {

// Call Forget for each node that changed. Not thread-safe.
class ReadyTimes {
 public:
  // The nodes on which the whole gang fits first, and when.
  struct Ready {
    std::vector<NodeId> nodes;
    Instant at;
  };

  // Whether the start can be computed: only for whole GPUs, because shared ones become free in
  // parts.
  static bool CanPredict(const JobSpec& spec);

  void Forget(NodeId changed);
  void Clear() { ends_.clear(); }

  // Among these nodes, those of one trait on which the gang can certainly start first; of equal
  // ones the emptier, then the lower id. nullopt: no time limit says so, or the job takes no whole
  // GPUs. REQUIRES: a rank fits on each node if nothing is granted there.
  std::optional<Ready> Find(const State& state, Instant at, const ScratchNodes& nodes,
                            const NodesByTrait& able, const Job& job);

 private:
  // When each held GPU of a node becomes free, earliest first.
  const std::vector<Instant>& EndsOf(const State& state, NodeId node);
  Instant Earliest(const State& state, Instant at, const ScratchNodes& nodes, NodeId node,
                   const Job& job);
  std::optional<Ready> FindAmong(const State& state, Instant at, const ScratchNodes& nodes,
                                 const std::vector<NodeId>& able, const Job& job);

  std::vector<std::optional<std::vector<Instant>>> ends_;  // by node
};

}  // namespace gp
