// The identity of a GPU.

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "fakes/nvml/driver.h"
#include "fakes/nvml/mig_device.h"

namespace gp {
namespace {

nvmlReturn_t Text(const char* call, nvmlDevice_t device, std::string MachineGpu::* field,
                  char* buffer, unsigned length) {
  return WithGpu(call, device, [&](const MachineGpu& gpu, const GpuState&) {
    if ((gpu.*field).empty()) return NVML_ERROR_NOT_SUPPORTED;
    return CopyText(gpu.*field, buffer, length);
  });
}

nvmlDeviceArchitecture_t ArchitectureNamed(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, nvmlDeviceArchitecture_t>, 7> kKnown = {{
      {"pascal", NVML_DEVICE_ARCH_PASCAL},
      {"volta", NVML_DEVICE_ARCH_VOLTA},
      {"turing", NVML_DEVICE_ARCH_TURING},
      {"ampere", NVML_DEVICE_ARCH_AMPERE},
      {"ada", NVML_DEVICE_ARCH_ADA},
      {"hopper", NVML_DEVICE_ARCH_HOPPER},
      {"blackwell", NVML_DEVICE_ARCH_BLACKWELL},
  }};
  for (const auto& [known, value] : kKnown) {
    if (known == name) return value;
  }
  return NVML_DEVICE_ARCH_UNKNOWN;
}

nvmlBrandType_t BrandNamed(std::string_view name) {
  if (name == "tesla") return NVML_BRAND_TESLA;
  if (name == "geforce") return NVML_BRAND_GEFORCE;
  if (name == "nvidia") return NVML_BRAND_NVIDIA;
  return NVML_BRAND_UNKNOWN;
}

unsigned BoardId(const MachineGpu& gpu) { return gpu.pci.domain << 16 | gpu.pci.bus << 8; }

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned* index) {
  if (index == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithHandle(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    return Store(index, handle.IsMig() ? MigDeviceIndex(driver.world(), handle)
                                       : driver.IndexOf(handle.gpu));
  });
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char* name, unsigned length) {
  return WithHandle(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    return CopyText(DeviceName(driver.world(), handle), name, length);
  });
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char* uuid, unsigned length) {
  return WithHandle(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    return CopyText(DeviceUuid(driver.world(), handle), uuid, length);
  });
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char* uuid, nvmlDevice_t* device) {
  if (uuid == nullptr || device == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithDriver(__func__, std::nullopt, [&](FakeDriver& driver) {
    const auto found = FindDevice(driver.world(), uuid);
    if (!found || !driver.IsListed(found->gpu)) return NVML_ERROR_NOT_FOUND;
    if (driver.WasLostAtInit(found->gpu)) return NVML_ERROR_GPU_IS_LOST;
    *device = found->IsMig()
                  ? driver.MigDevice(found->gpu, *found->gpu_instance, *found->compute_instance)
                  : driver.Device(found->gpu);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char* serial, unsigned length) {
  return Text(__func__, device, &MachineGpu::serial, serial, length);
}
nvmlReturn_t nvmlDeviceGetVbiosVersion(nvmlDevice_t device, char* version, unsigned length) {
  return Text(__func__, device, &MachineGpu::vbios, version, length);
}
nvmlReturn_t nvmlDeviceGetBoardPartNumber(nvmlDevice_t device, char* part, unsigned length) {
  return Text(__func__, device, &MachineGpu::part_number, part, length);
}
nvmlReturn_t nvmlDeviceGetInforomImageVersion(nvmlDevice_t device, char* version, unsigned length) {
  return Text(__func__, device, &MachineGpu::inforom, version, length);
}
nvmlReturn_t nvmlDeviceGetGspFirmwareVersion(nvmlDevice_t device, char* version) {
  return WithHandle(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st&) {
    return CopyText(driver.world().machine.driver_version, version,
                    NVML_GSP_FIRMWARE_VERSION_BUF_SIZE);
  });
}

nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned* minor) {
  return Fact(__func__, device, minor,
              [](const MachineGpu& gpu, const GpuState&) { return gpu.minor; });
}
nvmlReturn_t nvmlDeviceGetModuleId(nvmlDevice_t device, unsigned* module_id) {
  return Fact(__func__, device, module_id,
              [](const MachineGpu& gpu, const GpuState&) { return gpu.module; });
}
nvmlReturn_t nvmlDeviceGetBoardId(nvmlDevice_t device, unsigned* board) {
  return Fact(__func__, device, board,
              [](const MachineGpu& gpu, const GpuState&) { return BoardId(gpu); });
}
nvmlReturn_t nvmlDeviceGetMultiGpuBoard(nvmlDevice_t device, unsigned* multi) {
  return Fact(__func__, device, multi, [](const MachineGpu&, const GpuState&) { return 0; });
}
nvmlReturn_t nvmlDeviceGetBrand(nvmlDevice_t device, nvmlBrandType_t* brand) {
  return Fact(__func__, device, brand,
              [](const MachineGpu& gpu, const GpuState&) { return BrandNamed(gpu.brand); });
}
nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t* value) {
  return Fact(__func__, device, value, [](const MachineGpu& gpu, const GpuState&) {
    return ArchitectureNamed(gpu.architecture);
  });
}
nvmlReturn_t nvmlDeviceGetNumGpuCores(nvmlDevice_t device, unsigned* cores) {
  return Fact(__func__, device, cores,
              [](const MachineGpu& gpu, const GpuState&) { return gpu.cores; });
}
nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithHandle(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    const MachineGpu& gpu = driver.world().machine.gpus[static_cast<size_t>(handle.gpu)];
    *major = gpu.compute_major;
    *minor = gpu.compute_minor;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t* pci) {
  if (pci == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithGpu(__func__, device, [&](const MachineGpu& gpu, const GpuState&) {
    *pci = {};
    pci->domain = gpu.pci.domain;
    pci->bus = gpu.pci.bus;
    pci->device = gpu.pci.device;
    pci->pciDeviceId = gpu.pci_id;
    pci->pciSubSystemId = gpu.pci_subsystem;
    CopyText(PciBusId(gpu.pci), pci->busId, sizeof pci->busId);
    CopyText(PciBusIdLegacy(gpu.pci), pci->busIdLegacy, sizeof pci->busIdLegacy);
    return NVML_SUCCESS;
  });
}
// The older versions end after the subsystem id; more would write past the caller's structure.
nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t device, void* pci) {
  nvmlPciInfo_t whole = {};
  const nvmlReturn_t result = nvmlDeviceGetPciInfo_v3(device, &whole);
  if (pci == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (result == NVML_SUCCESS) std::memcpy(pci, &whole, offsetof(nvmlPciInfo_t, busId));
  return result;
}
nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t device, void* pci) {
  return nvmlDeviceGetPciInfo_v2(device, pci);
}
nvmlReturn_t nvmlDeviceGetPciInfoExt(nvmlDevice_t device, nvmlPciInfoExt_v1_t* pci) {
  if (pci == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithGpu(__func__, device, [&](const MachineGpu& gpu, const GpuState&) {
    if (pci->version != NvmlStructVersion<nvmlPciInfoExt_v1_t>(1)) {
      return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    }
    pci->domain = gpu.pci.domain;
    pci->bus = gpu.pci.bus;
    pci->device = gpu.pci.device;
    pci->pciDeviceId = gpu.pci_id;
    pci->pciSubSystemId = gpu.pci_subsystem;
    pci->baseClass = 3;
    pci->subClass = 2;
    return CopyText(PciBusId(gpu.pci), pci->busId, sizeof pci->busId);
  });
}

}  // extern "C"
}  // namespace gp
