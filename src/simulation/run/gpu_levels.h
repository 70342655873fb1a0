#pragma once

#include <map>
#include <string>
#include <vector>

#include "domain/cluster/state/state.h"

namespace gp {

struct GpuLevel {
  int64_t installed = 0;
  int64_t serving = 0;  // may be granted, now or when they become free
  int64_t held = 0;     // thousandths
  bool operator==(const GpuLevel&) const = default;
};

// The numbers of GPUs that are installed, in service and held, by model and by node.  It follows a
// state incrementally, so that frequent updates cost little.
class GpuLevels {
 public:
  // REQUIRES: the same state as in the last call, or a later version of it.
  void Follow(const State& state);

  const std::map<std::string, GpuLevel>& by_model() const { return by_model_; }
  GpuLevel total() const;
  // By node id; and the nodes that the last Follow found changed.
  const std::vector<GpuLevel>& by_node() const { return by_node_; }
  const std::vector<NodeId>& changed() const { return changed_; }

 private:
  void Count(const Node& node);

  uint64_t seen_ = 0;  // State::node_changes
  std::map<std::string, GpuLevel> by_model_;
  std::vector<GpuLevel> by_node_;
  std::vector<std::map<std::string, GpuLevel>> parts_;  // the part of each node in by_model_
  std::vector<NodeId> changed_;
};

}  // namespace gp
