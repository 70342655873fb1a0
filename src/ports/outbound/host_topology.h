#pragma once

// What a host is made of besides its GPUs: packages, NUMA nodes, CPUs, memory, and where on PCIe
// each GPU hangs.  The live adapter asks hwloc.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.h"
#include "base/result.h"

namespace gp {

struct NumaNode {
  int id = 0;       // the operating system's number; not always contiguous
  int package = 0;  // socket, numbered from 0 in hwloc's order
  CpuSet cpus;
  int64_t memory_mib = 0;
};

// A PCI device that is a GPU, and where it hangs.
struct PciGpu {
  std::string pci_bus_id;  // lower case "0000:1b:00.0", domain of four digits or more
  // Os id of the nearest NUMA node; nullopt: the host does not tell
  std::optional<int> numa_node;
  std::string root_complex;  // bus id of the host bridge's first child: equal = same root
  std::string pcie_switch;   // bus id of the nearest upstream switch; empty: none
};

struct HostFacts {
  std::string hostname;
  int packages = 1;
  CpuSet cpus;
  int64_t memory_mib = 0;
  std::vector<NumaNode> numa_nodes;  // by id; at least one
  std::vector<PciGpu> gpus;          // every NVIDIA display or 3D controller seen on PCI
  std::vector<std::string> warnings;
};

class HostTopology {
 public:
  virtual ~HostTopology() = default;
  virtual Result<HostFacts> Read() = 0;
};

}  // namespace gp
