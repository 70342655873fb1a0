#pragma once

// NVLink: where each link of a GPU ends, and how many links join each pair of GPUs.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/outbound/nvml/inquiry.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// The active links of one GPU, by the device at their other end.  Links to CPUs are not counted.
struct NvlinkEnds {
  int gpu_index = 0;
  std::string pci_bus_id;
  int to_switches = 0;
  std::map<std::string, int> to_gpus;  // by bus id
  // Older drivers report the bus id of an NVIDIA device, but not whether it is a GPU or a switch.
  std::map<std::string, int> to_gpus_or_switches;
};

NvlinkEnds ReadNvlinkEnds(GpuInquiry* gpu, const std::string& pci_bus_id);

// Combines the ends into pairs, ordered by (gpu_a, gpu_b).  A direct link counts if both ends
// report it; through switches a pair has as many links as the end with fewer.
std::vector<GpuLinks> JoinNvlinks(std::vector<NvlinkEnds> ends);

struct NvlinkCount {
  int active = 0;
  int total = 0;
};
// nullopt: the GPU has no NVLink, or the driver does not report it.
std::optional<NvlinkCount> CountNvlinks(GpuInquiry* gpu);

}  // namespace gp
