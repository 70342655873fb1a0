#pragma once

// How many GPUs there are, are in service and are held, by model and by node.  Follows a state from
// change to change, so that looking often costs little.

#include <map>
#include <string>
#include <vector>

#include "domain/cluster/state.h"

namespace gp {

struct GpuLevel {
  int64_t installed = 0;
  int64_t serving = 0;  // may be granted, now or when they are free
  int64_t held = 0;     // thousandths
  bool operator==(const GpuLevel&) const = default;
};

class GpuLevels {
 public:
  // REQUIRES: the same state as before, or a later one of it.
  void Follow(const State& state);

  const std::map<std::string, GpuLevel>& by_model() const { return by_model_; }
  GpuLevel total() const;
  // By node id; those that Follow saw changed.
  const std::vector<GpuLevel>& by_node() const { return by_node_; }
  const std::vector<NodeId>& changed() const { return changed_; }

 private:
  void Count(const Node& node);

  uint64_t seen_ = 0;  // State::node_changes
  std::map<std::string, GpuLevel> by_model_;
  std::vector<GpuLevel> by_node_;
  std::vector<std::map<std::string, GpuLevel>> parts_;  // of each node in by_model_
  std::vector<NodeId> changed_;
};

}  // namespace gp
