#include "adapters/outbound/nvml/xid_events.h"

#include <algorithm>
#include <limits>

#include "adapters/outbound/nvml/gpu_uuid.h"

namespace gp {
namespace {

std::optional<int> InstanceId(unsigned id) {
  if (id == kNvmlNoInstance) return std::nullopt;
  return static_cast<int>(id);
}

// Rounded up: who waits for the rest of a millisecond would otherwise ask again and again.
unsigned ToTimeoutMs(Duration timeout) {
  constexpr int64_t kMax = std::numeric_limits<int>::max();
  const bool has_rest = timeout.ns % Duration::Milliseconds(1).ns > 0;
  return static_cast<unsigned>(
      std::clamp<int64_t>(timeout.ToMilliseconds() + (has_rest ? 1 : 0), 0, kMax));
}

}  // namespace

Result<std::unique_ptr<XidEvents>> XidEvents::Open(std::shared_ptr<const NvmlLibrary> library) {
  std::unique_ptr<XidEvents> events(new XidEvents(std::move(library)));
  GP_CHECK_OK(events->CreateSet());
  const NvmlFunctions& nvml = events->library_->functions();
  unsigned count = 0;
  const nvmlReturn_t counted = nvml.DeviceGetCount_v2(&count);
  if (counted != NVML_SUCCESS) {
    return Fail(Unavailable(std::string(nvml.DeviceGetCount_v2.name) + ": " +
                            events->library_->Explain(counted)));
  }
  for (unsigned i = 0; i < count; ++i) events->SubscribeAt(i);
  return events;
}

Result<std::unique_ptr<XidEvents>> XidEvents::OpenOne(std::shared_ptr<const NvmlLibrary> library,
                                                      const std::string& uuid) {
  const nvmlDevice_t device = GP_TRY(OpenByUuid(*library, uuid));
  std::unique_ptr<XidEvents> events(new XidEvents(std::move(library)));
  GP_CHECK_OK(events->CreateSet());
  events->Subscribe(device, uuid);
  return events;
}

Status XidEvents::CreateSet() {
  const NvmlFunctions& nvml = library_->functions();
  const nvmlReturn_t created = nvml.EventSetCreate(&set_);
  if (created != NVML_SUCCESS)
    return Fail(
        Unsupported(std::string(nvml.EventSetCreate.name) + ": " + library_->Explain(created)));
  has_set_ = true;
  return Ok();
}

XidEvents::~XidEvents() {
  if (has_set_) library_->functions().EventSetFree(set_);
}

void XidEvents::SubscribeAt(unsigned index) {
  const std::string silent = "GPU " + std::to_string(index) + ": reports no XIDs: ";
  nvmlDevice_t device = {};
  const nvmlReturn_t opened = library_->functions().DeviceGetHandleByIndex_v2(index, &device);
  if (opened != NVML_SUCCESS) {
    warnings_.push_back(silent + library_->Explain(opened));
    return;
  }
  GpuInquiry gpu(*library_, static_cast<int>(index), device, nullptr);
  const std::string uuid = ReadUuid(&gpu);
  if (!uuid.empty()) return Subscribe(device, uuid);
  warnings_.push_back(silent + "the driver reports no UUID");
}

void XidEvents::Subscribe(nvmlDevice_t device, const std::string& uuid) {
  const NvmlFunctions& nvml = library_->functions();
  const nvmlReturn_t result =
      nvml.DeviceRegisterEvents(device, nvmlEventTypeXidCriticalError, set_);
  if (result == NVML_SUCCESS) {
    subscriptions_.push_back({uuid, device});
  } else {
    warnings_.push_back(uuid + ": reports no XIDs: " + library_->Explain(result));
  }
}

Result<std::optional<XidEvent>> XidEvents::Wait(Duration timeout) {
  const NvmlFunctions& nvml = library_->functions();
  nvmlEventData_t data = {};
  const unsigned timeout_ms = ToTimeoutMs(timeout);
  nvmlReturn_t result = nvml.EventSetWait_v2(set_, &data, timeout_ms);
  if (result == NVML_ERROR_FUNCTION_NOT_FOUND) {
    result = nvml.EventSetWait(set_, &data, timeout_ms);
    // The first version does not fill them
    data.gpuInstanceId = data.computeInstanceId = kNvmlNoInstance;
  }
  if (result == NVML_ERROR_TIMEOUT) return std::nullopt;
  if (result != NVML_SUCCESS) {
    return Fail(
        Unavailable(std::string(nvml.EventSetWait_v2.name) + ": " + library_->Explain(result)));
  }
  const auto is_source = [&](const Subscription& subscription) {
    return subscription.device.handle == data.device.handle;
  };
  const auto source = std::ranges::find_if(subscriptions_, is_source);
  if (source == subscriptions_.end() || data.eventType != nvmlEventTypeXidCriticalError) {
    return std::nullopt;
  }
  return XidEvent{source->uuid, static_cast<int>(data.eventData), InstanceId(data.gpuInstanceId),
                  InstanceId(data.computeInstanceId)};
}

}  // namespace gp
