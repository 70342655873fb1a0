#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.h"
#include "base/result.h"

namespace gp {

// A NUMA node of the host.
struct NumaNode {
  int id = 0;       // the operating system's number; not always contiguous
  int package = 0;  // socket, numbered from 0 in hwloc's order
  CpuSet cpus;
  int64_t memory_mib = 0;
};

// A PCI device that is a GPU, and its place on PCIe.
struct PciGpu {
  std::string pci_bus_id;  // lower case "0000:1b:00.0", domain of four digits or more
  // Operating system's number of the nearest NUMA node; nullopt: unknown
  std::optional<int> numa_node;
  std::string root_complex;  // bus id of the host bridge's first child: equal = same root
  std::string pcie_switch;   // bus id of the nearest upstream switch; empty: none
};

// Facts of the host that do not change while it runs.
struct HostFacts {
  std::string hostname;
  int packages = 1;
  CpuSet cpus;
  int64_t memory_mib = 0;
  std::vector<NumaNode> numa_nodes;  // by id; at least one
  std::vector<PciGpu> gpus;          // every NVIDIA display or 3D controller seen on PCI
  std::vector<std::string> warnings;
};

// Reads the hardware of this host besides its GPUs: packages, NUMA nodes, CPUs, memory, and the
// place of each GPU on PCIe.
class HostTopology {
 public:
  virtual ~HostTopology() = default;
  virtual Result<HostFacts> Read() = 0;
};

}  // namespace gp
