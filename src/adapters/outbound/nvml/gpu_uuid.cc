#include "adapters/outbound/nvml/gpu_uuid.h"

namespace gp {
namespace {

using Uuid = char[NVML_DEVICE_UUID_V2_BUFFER_SIZE];

bool HasUuid(const NvmlFunctions& nvml, nvmlDevice_t device, const std::string& uuid) {
  Uuid text = {};
  return nvml.DeviceGetUUID(device, text, sizeof text) == NVML_SUCCESS && uuid == text;
}

// Queries one GPU after another and skips those that it cannot open, because the wanted one may
// come later.
nvmlReturn_t Search(const NvmlFunctions& nvml, const std::string& uuid, nvmlDevice_t* device) {
  unsigned count = 0;
  nvmlReturn_t why_not = NVML_ERROR_NOT_FOUND;
  const nvmlReturn_t counted = nvml.DeviceGetCount_v2(&count);
  if (counted != NVML_SUCCESS) return counted;
  for (unsigned i = 0; i < count; ++i) {
    const nvmlReturn_t opened = nvml.DeviceGetHandleByIndex_v2(i, device);
    if (opened != NVML_SUCCESS) why_not = opened;
    if (opened == NVML_SUCCESS && HasUuid(nvml, *device, uuid)) return NVML_SUCCESS;
  }
  return why_not;
}

}  // namespace

std::string ReadUuid(GpuInquiry* gpu) {
  Uuid text = {};
  const unsigned room = sizeof text;
  const bool is_known = gpu->Ask(gpu->nvml.DeviceGetUUID, static_cast<char*>(text), room);
  return is_known ? std::string(text) : "";
}

Result<nvmlDevice_t> OpenByUuid(const NvmlLibrary& library, const std::string& uuid) {
  const NvmlFunctions& nvml = library.functions();
  nvmlDevice_t device = {};
  nvmlReturn_t found = nvml.DeviceGetHandleByUUID(uuid.c_str(), &device);
  // According to its documentation, this call fails if any GPU of the host is lost, whichever is
  // wanted.
  const bool is_answer = found == NVML_SUCCESS || found == NVML_ERROR_NOT_FOUND ||
                         found == NVML_ERROR_INVALID_ARGUMENT;
  if (!is_answer) found = Search(nvml, uuid, &device);
  if (found == NVML_SUCCESS) return device;
  return Fail(NotFound(uuid + ": " + library.Explain(found)));
}

}  // namespace gp
