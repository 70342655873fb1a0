// PCIe, NVLink and fabric.

#include <cstring>

#include "fakes/nvml/driver.h"

namespace gp {
namespace {

nvmlReturn_t PcieGeneration(const char* call, nvmlDevice_t device, unsigned* generation) {
  return Reading(call, device, generation,
                 [](const MachineGpu& gpu, const GpuState&) { return gpu.pcie_generation; });
}
nvmlReturn_t PcieWidth(const char* call, nvmlDevice_t device, unsigned* width) {
  return Reading(call, device, width,
                 [](const MachineGpu& gpu, const GpuState&) { return gpu.pcie_width; });
}

// Calls body(const MachineGpu&, const GpuState&, const MachineLink&) for a link of the GPU.
template <typename Body>
nvmlReturn_t WithLink(const char* call, nvmlDevice_t device, unsigned link, Body body) {
  return WithReading(call, device, [&](const MachineGpu& gpu, const GpuState& state) {
    if (link >= NVML_NVLINK_MAX_LINKS) return NVML_ERROR_INVALID_ARGUMENT;
    if (link >= gpu.links.size()) return NVML_ERROR_NOT_SUPPORTED;
    return body(gpu, state, gpu.links[link]);
  });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetMaxPcieLinkGeneration(nvmlDevice_t device, unsigned* generation) {
  return PcieGeneration(__func__, device, generation);
}
nvmlReturn_t nvmlDeviceGetGpuMaxPcieLinkGeneration(nvmlDevice_t device, unsigned* generation) {
  return PcieGeneration(__func__, device, generation);
}
nvmlReturn_t nvmlDeviceGetCurrPcieLinkGeneration(nvmlDevice_t device, unsigned* generation) {
  return PcieGeneration(__func__, device, generation);
}
nvmlReturn_t nvmlDeviceGetMaxPcieLinkWidth(nvmlDevice_t device, unsigned* width) {
  return PcieWidth(__func__, device, width);
}
nvmlReturn_t nvmlDeviceGetCurrPcieLinkWidth(nvmlDevice_t device, unsigned* width) {
  return PcieWidth(__func__, device, width);
}
nvmlReturn_t nvmlDeviceGetPcieReplayCounter(nvmlDevice_t device, unsigned* count) {
  return Reading(__func__, device, count,
                 [](const MachineGpu&, const GpuState& state) { return state.pcie_replays; });
}
nvmlReturn_t nvmlDeviceGetPcieThroughput(nvmlDevice_t device, nvmlPcieUtilCounter_t,
                                         unsigned* kilobytes_per_second) {
  return Reading(__func__, device, kilobytes_per_second,
                 [](const MachineGpu&, const GpuState&) { return 0; });
}

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned link,
                                      nvmlEnableState_t* active) {
  if (active == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithLink(__func__, device, link,
                  [&](const MachineGpu&, const GpuState& state, const MachineLink&) {
                    return Store(active, state.links_down.contains(link) ? 0 : 1);
                  });
}
nvmlReturn_t nvmlDeviceGetNvLinkVersion(nvmlDevice_t device, unsigned link, unsigned* version) {
  if (version == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithLink(__func__, device, link,
                  [&](const MachineGpu& gpu, const GpuState&, const MachineLink&) {
                    return Store(version, gpu.nvlink_version);
                  });
}
nvmlReturn_t nvmlDeviceGetNvLinkCapability(nvmlDevice_t device, unsigned link,
                                           nvmlNvLinkCapability_t capability, unsigned* result) {
  if (result == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithLink(__func__, device, link,
                  [&](const MachineGpu&, const GpuState&, const MachineLink&) {
                    return Store(result, capability == NVML_NVLINK_CAP_SLI_BRIDGE ? 0 : 1);
                  });
}
nvmlReturn_t nvmlDeviceGetNvLinkRemotePciInfo_v2(nvmlDevice_t device, unsigned link,
                                                 nvmlPciInfo_t* pci) {
  if (pci == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithLink(__func__, device, link,
                  [&](const MachineGpu&, const GpuState&, const MachineLink& to) {
                    *pci = {};
                    pci->domain = to.remote.domain;
                    pci->bus = to.remote.bus;
                    pci->device = to.remote.device;
                    CopyText(PciBusIdLegacy(to.remote), pci->busIdLegacy, sizeof pci->busIdLegacy);
                    return CopyText(PciBusId(to.remote), pci->busId, sizeof pci->busId);
                  });
}
nvmlReturn_t nvmlDeviceGetNvLinkRemoteDeviceType(nvmlDevice_t device, unsigned link,
                                                 nvmlIntNvLinkDeviceType_t* type) {
  if (type == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithLink(
      __func__, device, link, [&](const MachineGpu&, const GpuState&, const MachineLink& to) {
        return Store(type,
                     to.to_switch ? NVML_NVLINK_DEVICE_TYPE_SWITCH : NVML_NVLINK_DEVICE_TYPE_GPU);
      });
}
nvmlReturn_t nvmlDeviceGetNvLinkErrorCounter(nvmlDevice_t device, unsigned link,
                                             nvmlNvLinkErrorCounter_t, unsigned long long* value) {
  if (value == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithLink(
      __func__, device, link,
      [&](const MachineGpu&, const GpuState&, const MachineLink&) { return Store(value, 0); });
}

// This host's GPUs form one fabric domain and have joined it.
nvmlReturn_t nvmlDeviceGetGpuFabricInfoV(nvmlDevice_t device, nvmlGpuFabricInfoV_t* info) {
  if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithReading(__func__, device, [&](const MachineGpu& gpu, const GpuState&) {
    const bool third = info->version == NvmlStructVersion<nvmlGpuFabricInfo_v3_t>(3);
    if (!third && info->version != NvmlStructVersion<nvmlGpuFabricInfo_v2_t>(2)) {
      return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    if (!gpu.fabric) return NVML_ERROR_NOT_SUPPORTED;
    std::memset(info->clusterUuid, 0, sizeof info->clusterUuid);
    info->status = NVML_SUCCESS;
    info->cliqueId = 0;
    info->state = NVML_GPU_FABRIC_STATE_COMPLETED;
    info->healthMask = 0;
    if (third) info->healthSummary = 1;
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceGetGpuFabricInfo(nvmlDevice_t device, nvmlGpuFabricInfo_t* info) {
  if (info == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithReading(__func__, device, [&](const MachineGpu& gpu, const GpuState&) {
    if (!gpu.fabric) return NVML_ERROR_NOT_SUPPORTED;
    *info = {{}, NVML_SUCCESS, 0, NVML_GPU_FABRIC_STATE_COMPLETED};
    return NVML_SUCCESS;
  });
}

}  // extern "C"
}  // namespace gp
