#include "experiments/trace/node_pool.h"

#include "base/assert.h"

namespace gp {

NodePool::NodePool(int nodes, int gpus_per_node)
    : gpus_per_node_(gpus_per_node),
      free_total_(nodes * gpus_per_node),
      free_(static_cast<size_t>(nodes), gpus_per_node),
      nodes_by_free_(static_cast<size_t>(gpus_per_node) + 1, 0) {
  nodes_by_free_.back() = nodes;
}

bool NodePool::Fits(int gpus) const {
  const int whole = nodes_by_free_.back();
  const int rest = gpus % gpus_per_node_;
  if (whole < gpus / gpus_per_node_) return false;
  if (rest == 0 || whole > gpus / gpus_per_node_) return true;
  for (int free = rest; free < gpus_per_node_; ++free) {
    if (nodes_by_free_[static_cast<size_t>(free)] > 0) return true;
  }
  return false;
}

std::optional<GangPlace> NodePool::Find(int gpus) const {
  if (!Fits(gpus)) return std::nullopt;
  GangPlace place;
  int whole = gpus / gpus_per_node_;
  const int rest = gpus % gpus_per_node_;
  int tightest = -1;
  int spare = -1;  // a free node besides those that are taken whole
  for (int node = 0; node < static_cast<int>(free_.size()); ++node) {
    const int free = FreeOn(node);
    if (free == gpus_per_node_ && whole > 0) {
      place.emplace_back(node, free);
      --whole;
    } else if (free == gpus_per_node_) {
      if (spare < 0) spare = node;
    } else if (rest > 0 && free >= rest && (tightest < 0 || free < FreeOn(tightest))) {
      tightest = node;
    }
  }
  if (rest > 0) place.emplace_back(tightest >= 0 ? tightest : spare, rest);
  return place;
}

void NodePool::Change(int node, int by) {
  int& free = free_[static_cast<size_t>(node)];
  --nodes_by_free_[static_cast<size_t>(free)];
  free += by;
  GP_ASSERT(free >= 0 && free <= gpus_per_node_, "no GPU has two tenants");
  ++nodes_by_free_[static_cast<size_t>(free)];
  free_total_ += by;
}

void NodePool::Take(const GangPlace& place) {
  for (const auto& [node, gpus] : place) Change(node, -gpus);
}

void NodePool::Release(const GangPlace& place) {
  for (const auto& [node, gpus] : place) Change(node, gpus);
}

}  // namespace gp
