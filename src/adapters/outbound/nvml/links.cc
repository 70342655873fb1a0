#include "adapters/outbound/nvml/links.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace gp {
namespace {

constexpr unsigned kNvidiaVendor = 0x10de;

// nullopt: the GPU has no such link.  Numbers may have gaps, so the next one is still queried.
std::optional<bool> IsActive(GpuInquiry* gpu, unsigned link) {
  nvmlEnableState_t state = NVML_FEATURE_DISABLED;
  if (gpu->Query(gpu->nvml.DeviceGetNvLinkState, link, &state) != NVML_SUCCESS) {
    return std::nullopt;
  }
  return state == NVML_FEATURE_ENABLED;
}

void AddEnd(GpuInquiry* gpu, unsigned link, NvlinkEnds* ends) {
  nvmlIntNvLinkDeviceType_t type = NVML_NVLINK_DEVICE_TYPE_UNKNOWN;
  gpu->Ask(gpu->nvml.DeviceGetNvLinkRemoteDeviceType, link, &type);
  if (type == NVML_NVLINK_DEVICE_TYPE_SWITCH) {
    ++ends->to_switches;
    return;
  }
  nvmlPciInfo_t remote = {};
  if (!gpu->Ask(gpu->nvml.DeviceGetNvLinkRemotePciInfo_v2, link, &remote)) return;
  const std::string bus_id(remote.busId, strnlen(remote.busId, sizeof remote.busId));
  const bool is_nvidia = (remote.pciDeviceId & 0xffff) == kNvidiaVendor;
  if (type == NVML_NVLINK_DEVICE_TYPE_GPU) {
    ++ends->to_gpus[bus_id];
  } else if (type == NVML_NVLINK_DEVICE_TYPE_UNKNOWN && is_nvidia) {
    ++ends->to_gpus_or_switches[bus_id];
  }
}

// An NVIDIA device at the end of a link that is none of the GPUs is a switch.
void TellGpusFromSwitches(std::vector<NvlinkEnds>* ends) {
  std::set<std::string> gpus;
  for (const NvlinkEnds& gpu : *ends) gpus.insert(gpu.pci_bus_id);
  for (NvlinkEnds& gpu : *ends) {
    for (const auto& [bus_id, count] : gpu.to_gpus_or_switches) {
      (gpus.contains(bus_id) ? gpu.to_gpus[bus_id] : gpu.to_switches) += count;
    }
    gpu.to_gpus_or_switches.clear();
  }
}

int LinksTowards(const NvlinkEnds& from, const NvlinkEnds& to) {
  const auto found = from.to_gpus.find(to.pci_bus_id);
  return found == from.to_gpus.end() ? 0 : found->second;
}

}  // namespace

NvlinkEnds ReadNvlinkEnds(GpuInquiry* gpu, const std::string& pci_bus_id) {
  NvlinkEnds ends;
  ends.gpu_index = gpu->index();
  ends.pci_bus_id = pci_bus_id;
  for (unsigned link = 0; link < NVML_NVLINK_MAX_LINKS; ++link) {
    if (IsActive(gpu, link).value_or(false)) AddEnd(gpu, link, &ends);
  }
  return ends;
}

std::vector<GpuLinks> JoinNvlinks(std::vector<NvlinkEnds> ends) {
  TellGpusFromSwitches(&ends);
  std::vector<GpuLinks> links;
  for (size_t a = 0; a < ends.size(); ++a) {
    for (size_t b = a + 1; b < ends.size(); ++b) {
      const int direct = std::min(LinksTowards(ends[a], ends[b]), LinksTowards(ends[b], ends[a]));
      const int switched = std::min(ends[a].to_switches, ends[b].to_switches);
      const int count = direct > 0 ? direct : switched;
      if (count > 0) links.push_back({ends[a].gpu_index, ends[b].gpu_index, count, direct == 0});
    }
  }
  return links;
}

std::optional<NvlinkCount> CountNvlinks(GpuInquiry* gpu) {
  NvlinkCount count;
  for (unsigned link = 0; link < NVML_NVLINK_MAX_LINKS; ++link) {
    const std::optional<bool> active = IsActive(gpu, link);
    if (!active) continue;
    ++count.total;
    if (*active) ++count.active;
  }
  if (count.total == 0) return std::nullopt;
  return count;
}

}  // namespace gp
