#pragma once

// Free GPUs of equal nodes.  A gang takes one node, or whole nodes and the rest on one more.

#include <optional>
#include <utility>
#include <vector>

namespace gp {

// Which nodes a gang is on, and how many GPUs of each.
using GangPlace = std::vector<std::pair<int, int>>;

class NodePool {
 public:
  NodePool(int nodes, int gpus_per_node);

  bool Fits(int gpus) const;
  // The tightest node that fits, the lowest number among equals; nullopt: not now.
  std::optional<GangPlace> Find(int gpus) const;
  void Take(const GangPlace& place);
  void Release(const GangPlace& place);

  int FreeOn(int node) const { return free_[static_cast<size_t>(node)]; }
  int free() const { return free_total_; }
  int gpus_per_node() const { return gpus_per_node_; }

 private:
  void Change(int node, int by);

  int gpus_per_node_;
  int free_total_;
  std::vector<int> free_;           // by node
  std::vector<int> nodes_by_free_;  // how many nodes have so many free
};

}  // namespace gp
