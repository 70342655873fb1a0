#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace gp {

// The nodes of a gang, each with its number of GPUs.
using GangPlace = std::vector<std::pair<int, int>>;

// The free GPUs of a cluster of equal nodes.  A gang takes part of one node, or whole nodes and the
// rest on one more.
class NodePool {
 public:
  NodePool(int nodes, int gpus_per_node);

  bool Fits(int gpus) const;
  // The node that fits most tightly, the lowest number among equals; nullopt: no node fits now.
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
  std::vector<int> nodes_by_free_;  // number of nodes with this number of free GPUs
};

}  // namespace gp
