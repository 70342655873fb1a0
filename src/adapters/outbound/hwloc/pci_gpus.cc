#include "adapters/outbound/hwloc/pci_gpus.h"

#include <algorithm>
#include <cstdio>

namespace gp {
namespace {

constexpr unsigned kNvidia = 0x10de;
constexpr unsigned kVgaController = 0x0300;
constexpr unsigned k3dController = 0x0302;

bool IsNvidiaGpu(hwloc_obj_t device) {
  const auto& pci = device->attr->pcidev;
  return pci.vendor_id == kNvidia &&
         (pci.class_id == kVgaController || pci.class_id == k3dController);
}

bool IsPciBridge(hwloc_obj_t object) {
  return object != nullptr && object->type == HWLOC_OBJ_BRIDGE &&
         object->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI;
}

bool IsHostBridge(hwloc_obj_t object) {
  return object != nullptr && object->type == HWLOC_OBJ_BRIDGE &&
         object->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_HOST;
}

// "0000:1b:00.0".
std::string PciBusId(hwloc_obj_t object) {
  // A bridge's attributes begin with those of its PCI device.
  const auto& pci =
      object->type == HWLOC_OBJ_BRIDGE ? object->attr->bridge.upstream.pci : object->attr->pcidev;
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", static_cast<unsigned>(pci.domain),
                static_cast<unsigned>(pci.bus), static_cast<unsigned>(pci.dev),
                static_cast<unsigned>(pci.func));
  return text;
}

std::string RootComplex(hwloc_obj_t device) {
  for (hwloc_obj_t object = device; object != nullptr; object = object->parent) {
    if (IsHostBridge(object->parent)) return PciBusId(object->parent->io_first_child);
  }
  return "";
}

// The way up from a device behind a switch is: downstream port, upstream port, and at last a root
// port directly below the host bridge.
std::string NearestSwitch(hwloc_obj_t device) {
  const hwloc_obj_t downstream_port = device->parent;
  if (!IsPciBridge(downstream_port)) return "";
  const hwloc_obj_t upstream_port = downstream_port->parent;
  const bool is_root_port = IsPciBridge(upstream_port) && !IsPciBridge(upstream_port->parent);
  if (!IsPciBridge(upstream_port) || is_root_port) return "";
  return PciBusId(upstream_port);
}

// Only nodes with CPUs: a GPU's process cannot run on memory of a card or behind CXL.
std::vector<int> NumaNodesNear(hwloc_topology_t topology, hwloc_obj_t device,
                               const std::vector<NumaNode>& numa_nodes) {
  const hwloc_obj_t anchor = hwloc_get_non_io_ancestor_obj(topology, device);
  std::vector<int> ids;
  for (const NumaNode& node : numa_nodes) {
    const bool is_near = hwloc_bitmap_isset(anchor->nodeset, static_cast<unsigned>(node.id));
    if (is_near && !node.cpus.Empty()) ids.push_back(node.id);
  }
  return ids;
}

PciGpu Describe(hwloc_topology_t topology, hwloc_obj_t device,
                const std::vector<NumaNode>& numa_nodes, std::vector<std::string>* warnings) {
  PciGpu gpu;
  gpu.pci_bus_id = PciBusId(device);
  gpu.root_complex = RootComplex(device);
  gpu.pcie_switch = NearestSwitch(device);
  const std::vector<int> nodes = NumaNodesNear(topology, device, numa_nodes);
  if (nodes.size() == 1) {
    gpu.numa_node = nodes.front();
  } else {
    warnings->push_back("GPU " + gpu.pci_bus_id + ": the firmware does not report which of " +
                        std::to_string(nodes.size()) + " NUMA nodes is near");
  }
  return gpu;
}

}  // namespace

std::vector<PciGpu> FindPciGpus(hwloc_topology_t topology, const std::vector<NumaNode>& numa_nodes,
                                std::vector<std::string>* warnings) {
  std::vector<PciGpu> gpus;
  hwloc_obj_t device = nullptr;
  while ((device = hwloc_get_next_pcidev(topology, device)) != nullptr) {
    if (IsNvidiaGpu(device)) gpus.push_back(Describe(topology, device, numa_nodes, warnings));
  }
  std::ranges::sort(gpus, {}, &PciGpu::pci_bus_id);
  return gpus;
}

}  // namespace gp
