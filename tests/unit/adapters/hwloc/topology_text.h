#pragma once

// Host facts and links as short text, so that a test's expectation reads like the machine.

#include <sstream>
#include <string>

#include "ports/outbound/gpu_driver.h"
#include "ports/outbound/host_topology.h"

namespace gp {

// "id package cpus memory_mib", one line per NUMA node.
inline std::string NumaText(const HostFacts& facts) {
  std::ostringstream out;
  for (const NumaNode& node : facts.numa_nodes) {
    out << node.id << ' ' << node.package << ' ' << node.cpus.ToString() << ' ' << node.memory_mib
        << '\n';
  }
  return out.str();
}

// "bus-id numa root switch", one line per GPU, "-" for what is unknown or absent.
inline std::string GpuText(const HostFacts& facts) {
  std::ostringstream out;
  for (const PciGpu& gpu : facts.gpus) {
    out << gpu.pci_bus_id << ' ' << (gpu.numa_node ? std::to_string(*gpu.numa_node) : "-") << ' '
        << gpu.root_complex << ' ' << (gpu.pcie_switch.empty() ? "-" : gpu.pcie_switch) << '\n';
  }
  return out.str();
}

// "a-b count", one line per pair, " switch" behind those that pass one.
inline std::string LinkText(const std::vector<GpuLinks>& links) {
  std::ostringstream out;
  for (const GpuLinks& link : links) {
    out << link.gpu_a << '-' << link.gpu_b << ' ' << link.link_count
        << (link.through_switch ? " switch" : "") << '\n';
  }
  return out.str();
}

}  // namespace gp
