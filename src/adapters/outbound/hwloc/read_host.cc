#include "adapters/outbound/hwloc/read_host.h"

#include <unistd.h>

#include <algorithm>

#include "adapters/outbound/hwloc/pci_gpus.h"

namespace gp {
namespace {

constexpr uint64_t kBytesPerMib = uint64_t{1} << 20;

CpuSet ToCpuSet(hwloc_const_bitmap_t bitmap) {
  CpuSet cpus;
  for (int cpu = hwloc_bitmap_first(bitmap); cpu >= 0 && cpu < CpuSet::kMax;
       cpu = hwloc_bitmap_next(bitmap, cpu)) {
    cpus.Add(cpu);
  }
  return cpus;
}

// The package whose CPUs the NUMA node shares; the first one if the firmware does not report it.
int PackageOf(hwloc_topology_t topology, hwloc_obj_t numa) {
  if (const hwloc_obj_t above = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, numa)) {
    return static_cast<int>(above->logical_index);
  }
  hwloc_obj_t package = nullptr;
  while ((package = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PACKAGE, package)) != nullptr) {
    if (hwloc_bitmap_intersects(package->cpuset, numa->cpuset)) {
      return static_cast<int>(package->logical_index);
    }
  }
  return 0;
}

// hwloc lists nearby CPUs for memory without own CPUs (on a card, behind CXL).  Here each CPU
// belongs to one node: the one that is nearest to the fewest CPUs, then the one with the lowest
// number.
void GiveEachCpuToOneNode(std::vector<NumaNode>* nodes) {
  std::vector<NumaNode*> by_claim;
  for (NumaNode& node : *nodes) by_claim.push_back(&node);
  std::ranges::stable_sort(by_claim, {}, [](const NumaNode* node) { return node->cpus.Count(); });
  CpuSet given;
  for (NumaNode* node : by_claim) {
    node->cpus = node->cpus.Minus(given);
    given = given.Union(node->cpus);
  }
}

std::vector<NumaNode> ReadNumaNodes(hwloc_topology_t topology) {
  std::vector<NumaNode> nodes;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, object)) != nullptr) {
    NumaNode node;
    node.id = static_cast<int>(object->os_index);
    node.package = PackageOf(topology, object);
    node.cpus = ToCpuSet(object->cpuset);
    node.memory_mib = static_cast<int64_t>(object->attr->numanode.local_memory / kBytesPerMib);
    nodes.push_back(std::move(node));
  }
  std::ranges::sort(nodes, {}, &NumaNode::id);
  GiveEachCpuToOneNode(&nodes);
  return nodes;
}

std::string ReadHostname(hwloc_topology_t topology) {
  const char* recorded = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "HostName");
  if (recorded != nullptr) return recorded;
  char name[256] = {};
  if (!hwloc_topology_is_thissystem(topology) || gethostname(name, sizeof name - 1) != 0) return "";
  return name;
}

}  // namespace

Result<HostFacts> ReadHost(hwloc_topology_t topology) {
  HostFacts facts;
  facts.hostname = ReadHostname(topology);
  facts.packages = std::max(1, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE));
  facts.cpus = ToCpuSet(hwloc_get_root_obj(topology)->cpuset);
  facts.numa_nodes = ReadNumaNodes(topology);
  if (facts.numa_nodes.empty() || facts.cpus.Empty()) {
    return Fail(InvalidArgument("hwloc: the topology has no NUMA node or no CPU"));
  }
  for (const NumaNode& node : facts.numa_nodes) facts.memory_mib += node.memory_mib;
  facts.gpus = FindPciGpus(topology, facts.numa_nodes, &facts.warnings);
  return facts;
}

}  // namespace gp
