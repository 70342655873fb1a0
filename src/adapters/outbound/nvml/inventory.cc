#include "adapters/outbound/nvml/inventory.h"

#include <cstring>

#include "adapters/outbound/nvml/gpu_uuid.h"
#include "adapters/outbound/nvml/mig.h"
#include "adapters/outbound/nvml/units.h"

namespace gp {
namespace {

template <unsigned kSize, typename Function>
std::string ReadText(GpuInquiry* gpu, const Function& function) {
  char text[kSize] = {};
  if (!gpu->Ask(function, static_cast<char*>(text), kSize)) return "";
  text[kSize - 1] = '\0';
  return text;
}

// Usable memory is rounded down: a fraction of a MiB counts as reserve.
bool ReadMemory(GpuInquiry* gpu, GpuIdentity* identity) {
  nvmlMemory_v2_t memory = {};
  memory.version = NvmlStructVersion<nvmlMemory_v2_t>(2);
  if (gpu->Ask(gpu->nvml.DeviceGetMemoryInfo_v2, &memory)) {
    identity->memory_total_mib = static_cast<int64_t>(memory.total / kMib);
    identity->memory_reserved_mib = static_cast<int64_t>((memory.reserved + kMib - 1) / kMib);
    return true;
  }
  nvmlMemory_t plain = {};
  if (!gpu->Ask(gpu->nvml.DeviceGetMemoryInfo, &plain)) return false;
  gpu->WarnOfDriver("the driver does not report its reserved memory: all memory counts as usable");
  identity->memory_total_mib = static_cast<int64_t>(plain.total / kMib);
  return true;
}

void ReadMinor(GpuInquiry* gpu, GpuIdentity* identity) {
  unsigned minor = 0;
  if (gpu->Ask(gpu->nvml.DeviceGetMinorNumber, &minor)) {
    identity->minor = static_cast<int>(minor);
    return;
  }
  identity->minor = identity->index;
  gpu->Warn("minor number unknown; /dev/nvidia" + std::to_string(identity->index) + " is a guess");
}

std::optional<int> ReadPowerLimit(GpuInquiry* gpu) {
  unsigned milliwatts = 0;
  if (gpu->Ask(gpu->nvml.DeviceGetEnforcedPowerLimit, &milliwatts) ||
      gpu->Ask(gpu->nvml.DeviceGetPowerManagementLimit, &milliwatts)) {
    return static_cast<int>(milliwatts / kMilliwattsPerWatt);
  }
  return std::nullopt;
}

std::optional<int> ReadThreshold(GpuInquiry* gpu, nvmlTemperatureThresholds_t threshold) {
  unsigned celsius = 0;
  if (!gpu->Ask(gpu->nvml.DeviceGetTemperatureThreshold, threshold, &celsius)) return std::nullopt;
  return static_cast<int>(celsius);
}

void ReadTraits(GpuInquiry* gpu, GpuIdentity* identity) {
  const NvmlFunctions& nvml = gpu->nvml;
  identity->name = ReadText<NVML_DEVICE_NAME_V2_BUFFER_SIZE>(gpu, nvml.DeviceGetName);
  identity->serial = ReadText<NVML_DEVICE_SERIAL_BUFFER_SIZE>(gpu, nvml.DeviceGetSerial);
  identity->vbios =
      ReadText<NVML_DEVICE_VBIOS_VERSION_BUFFER_SIZE>(gpu, nvml.DeviceGetVbiosVersion);
  ReadMinor(gpu, identity);
  int major = 0;
  int minor = 0;
  if (gpu->Ask(nvml.DeviceGetCudaComputeCapability, &major, &minor)) {
    identity->compute_capability_major = major;
    identity->compute_capability_minor = minor;
  }
  identity->power_limit_watts = ReadPowerLimit(gpu);
  identity->temperature_slowdown_c = ReadThreshold(gpu, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN);
  identity->temperature_shutdown_c = ReadThreshold(gpu, NVML_TEMPERATURE_THRESHOLD_SHUTDOWN);
}

// The text that `function` fills in; empty, with a warning, if it fails.
template <unsigned kSize, typename Function>
std::string ReadVersion(const NvmlLibrary& library, const Function& function,
                        NvmlWarnings* warnings) {
  char text[kSize] = {};
  const nvmlReturn_t result = function(static_cast<char*>(text), kSize);
  if (result != NVML_SUCCESS) {
    warnings->Add(std::string(function.name) + ": " + library.Explain(result));
    return "";
  }
  text[kSize - 1] = '\0';
  return text;
}

std::string ReadCudaVersion(const NvmlLibrary& library, NvmlWarnings* warnings) {
  const NvmlFunctions& nvml = library.functions();
  int version = 0;
  if (nvml.SystemGetCudaDriverVersion_v2(&version) != NVML_SUCCESS) {
    const nvmlReturn_t result = nvml.SystemGetCudaDriverVersion(&version);
    if (result != NVML_SUCCESS) {
      warnings->Add(std::string(nvml.SystemGetCudaDriverVersion.name) + ": " +
                    library.Explain(result));
      return "";
    }
  }
  return std::to_string(NvmlCudaMajor(version)) + "." + std::to_string(NvmlCudaMinor(version));
}

}  // namespace

void ReadVersions(const NvmlLibrary& library, DriverInventory* inventory, NvmlWarnings* warnings) {
  const NvmlFunctions& nvml = library.functions();
  inventory->driver_version = ReadVersion<NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE>(
      library, nvml.SystemGetDriverVersion, warnings);
  inventory->nvml_version = ReadVersion<NVML_SYSTEM_NVML_VERSION_BUFFER_SIZE>(
      library, nvml.SystemGetNVMLVersion, warnings);
  inventory->cuda_version = ReadCudaVersion(library, warnings);
}

bool ReadIdentity(GpuInquiry* gpu, GpuIdentity* identity) {
  identity->index = gpu->index();
  identity->uuid = ReadUuid(gpu);
  nvmlPciInfo_t pci = {};
  const char* missing = nullptr;
  if (identity->uuid.empty()) {
    missing = "UUID";
  } else if (!gpu->Ask(gpu->nvml.DeviceGetPciInfo_v3, &pci)) {
    missing = "PCI address";
  } else if (!ReadMemory(gpu, identity)) {
    missing = "memory size";
  }
  if (missing != nullptr) {
    gpu->Warn(std::string("left out: the driver reports no ") + missing);
    return false;
  }
  identity->pci_bus_id = std::string(pci.busId, strnlen(pci.busId, sizeof pci.busId));
  ReadTraits(gpu, identity);
  ReadMig(gpu, identity);
  return true;
}

}  // namespace gp
