#pragma once

// When nodes will have room for a job, as far as the time limits of those who hold them tell. Valid
// for one state as it changes; what is worked out for a node is kept until the node changes.

#include <optional>
#include <vector>

#include "domain/cluster/state.h"
#include "domain/scheduling/scratch_nodes.h"
#include "domain/scheduling/shape_ranking.h"

namespace gp {

class ReadyTimes {
 public:
  // The nodes on which the whole gang fits first, and when.
  struct Ready {
    std::vector<NodeId> nodes;
    Instant at;
  };

  // It takes whole GPUs: those that are shared are freed in parts, which no limit tells.
  static bool CanTell(const JobSpec& spec);

  void Forget(NodeId changed);
  void Clear() { ends_.clear(); }

  // Of these nodes, those of one trait on which the gang can start first for sure; between equals
  // the emptier, then the lower id.  nullopt: no limit says so, or the job takes no whole GPUs.
  // REQUIRES: a rank fits on each when nothing is granted there.
  std::optional<Ready> Find(const State& state, Instant at, const ScratchNodes& nodes,
                            const NodesByTrait& able, const Job& job);

 private:
  // Of the GPUs of a node that are held, when each is free, earliest first.
  const std::vector<Instant>& EndsOf(const State& state, NodeId node);
  Instant Earliest(const State& state, Instant at, const ScratchNodes& nodes, NodeId node,
                   const Job& job);
  std::optional<Ready> FindAmong(const State& state, Instant at, const ScratchNodes& nodes,
                                 const std::vector<NodeId>& able, const Job& job);

  std::vector<std::optional<std::vector<Instant>>> ends_;  // by node
};

}  // namespace gp
