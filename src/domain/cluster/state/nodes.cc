#include "domain/cluster/state/nodes.h"

#include "base/assert.h"

namespace gp {

const Node* NodeStore::Find(NodeId id) const {
  return id.value < all.size() ? &all[id.value] : nullptr;
}

Node& NodeStore::Change(NodeId id) {
  GP_ASSERT(id.value < all.size(), "an event names a known node");
  Node& node = all[id.value];
  by_change.erase({node.changed, id});
  node.changed = ++changes;
  by_change.insert({node.changed, id});
  return node;
}

void NodeStore::CountCapacity(const Node& node, int sign) {
  const int64_t gpus = node.facts->CountGpus();
  if (gpus == 0) return;
  int64_t& count = capacity[node.pool];
  count += sign * gpus;
  if (count == 0) capacity.erase(node.pool);
  std::map<HostSize, std::set<NodeId>>& hosts = host_sizes[node.pool];
  std::set<NodeId>& alike = hosts[HostSizeOf(*node.facts)];
  if (sign > 0) {
    alike.insert(node.id);
  } else {
    alike.erase(node.id);
  }
  if (alike.empty()) hosts.erase(HostSizeOf(*node.facts));
  if (hosts.empty()) host_sizes.erase(node.pool);
  std::map<GpuSize, int64_t>& sizes = gpu_sizes[node.pool];
  for (const GpuFacts& gpu : node.facts->gpus) {
    if (gpu.presence == GpuPresence::kRetired) continue;
    const GpuSize size{gpu.memory_mib, gpu.mig};
    int64_t& of_size = sizes[size];
    of_size += sign;
    if (of_size == 0) sizes.erase(size);
  }
  if (sizes.empty()) gpu_sizes.erase(node.pool);
}

void NodeStore::IndexImages(NodeId node, int sign) {
  const auto held = images.find(node);
  if (held == images.end()) return;
  for (const uint64_t key : held->second) {
    std::set<NodeId>& holders = by_image[key];
    if (sign > 0) {
      holders.insert(node);
    } else {
      holders.erase(node);
    }
    if (holders.empty()) by_image.erase(key);
  }
}

void NodeStore::IndexGpus(const Node& node, int sign) {
  for (size_t i = 0; i < node.facts->gpus.size(); ++i) {
    const GpuFacts& gpu = node.facts->gpus[i];
    if (gpu.presence == GpuPresence::kRetired) continue;
    const GpuKey key{node.id, static_cast<int>(i)};
    if (sign > 0) {
      gpus_by_uuid.emplace(gpu.uuid, key);
    } else {
      gpus_by_uuid.erase({gpu.uuid, key});
    }
  }
}

}  // namespace gp
