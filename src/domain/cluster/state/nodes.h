#pragma once

// The nodes of the cluster with their GPUs, and the indexes of both.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "domain/faults/trouble.h"
#include "domain/model/nodes/host_size.h"
#include "domain/model/nodes/node.h"

namespace gp {

// `all`, `drain_deadlines` and `images` are values; the rest are indexes, which follow from them.
struct NodeStore {
  std::vector<Node> all;  // all[id.value]
  // When jobs must have left a drained GPU; gpu -1: the node
  std::map<GpuKey, Instant> drain_deadlines;
  // Keys (ImageKey) of the images whose layers nodes have, ascending; none is empty
  std::map<NodeId, std::vector<uint64_t>> images;

  std::map<std::string, NodeId> by_name;
  // GPUs that are not retired, by UUID.  Journals of format 16 may have one UUID in two places.
  std::set<std::pair<std::string, GpuKey>> gpus_by_uuid;
  std::set<std::pair<Instant, NodeId>> losses;  // lost nodes, by when their leases have ended
  std::map<std::string, int64_t> capacity;      // GPUs installed, by pool; none is 0
  // The same by size; none is 0 or empty
  std::map<std::string, std::map<GpuSize, int64_t>> gpu_sizes;

  // Nodes of equal size, by pool; none is empty
  std::map<std::string, std::map<HostSize, std::set<NodeId>>> host_sizes;

  std::map<uint64_t, std::set<NodeId>> by_image;  // none is empty

  // The nodes by the number of their last change, for planners.  It is not part of the value and
  // starts at 0 in each process.
  uint64_t changes = 0;
  std::set<std::pair<uint64_t, NodeId>> by_change;

  const Node* Find(NodeId id) const;
  // A known node, marked as changed.
  Node& Change(NodeId id);
  // Adds the node's GPUs to the index by UUID; sign -1: removes them.
  void IndexGpus(const Node& node, int sign);
  // Adds the node's images to the index; sign -1: removes them.
  void IndexImages(NodeId node, int sign);
  // Adds the node to the capacity and the sizes of its pool; sign -1: subtracts it.
  void CountCapacity(const Node& node, int sign);
};

}  // namespace gp
