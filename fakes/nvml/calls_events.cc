// Event sets.  A set receives the events after the registration of a GPU, even while no caller
// waits.

#include <map>
#include <memory>

#include "fakes/nvml/driver.h"

namespace gp {
namespace {

struct Registration {
  int gpu = 0;
  unsigned long long types = 0;
};

constexpr unsigned long long kSupported = 0xffff;

}  // namespace
}  // namespace gp

struct nvmlEventSet_st {
  std::vector<gp::Registration> registrations;
  size_t next = 0;  // index into the world's events
};

namespace gp {
namespace {

// Guarded by the driver's mutex.
std::map<nvmlEventSet_st*, std::unique_ptr<nvmlEventSet_st>>& Sets() {
  static auto* const sets = new std::map<nvmlEventSet_st*, std::unique_ptr<nvmlEventSet_st>>;
  return *sets;
}

bool Wants(const nvmlEventSet_st& set, const FakeEvent& event) {
  for (const Registration& registration : set.registrations) {
    if (registration.gpu == event.gpu && (registration.types & event.type) != 0) return true;
  }
  return false;
}

bool TakeNext(FakeDriver* driver, nvmlEventSet_st* set, nvmlEventData_t* data) {
  const auto& events = driver->world().events;
  while (set->next < events.size()) {
    const FakeEvent& event = events[set->next++];
    if (!Wants(*set, event)) continue;
    *data = {driver->Device(event.gpu), event.type, event.data,
             event.gpu_instance.value_or(kNvmlNoInstance),
             event.compute_instance.value_or(kNvmlNoInstance)};
    return true;
  }
  return false;
}

nvmlReturn_t Wait(const char* call, nvmlEventSet_t set, nvmlEventData_t* data,
                  unsigned timeout_ms) {
  if (data == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const int64_t until = RealTimeNs() + int64_t{timeout_ms} * 1'000'000;
  while (true) {
    bool taken = false;
    std::shared_ptr<const FakeJournal> journal;
    const nvmlReturn_t up = WithDriver(call, std::nullopt, [&](FakeDriver& driver) {
      if (!Sets().contains(set.handle)) return NVML_ERROR_INVALID_ARGUMENT;
      taken = TakeNext(&driver, set.handle, data);
      journal = driver.journal();
      return NVML_SUCCESS;
    });
    if (up != NVML_SUCCESS || taken) return up;
    const int64_t left_ms = (until - RealTimeNs()) / 1'000'000;
    if (left_ms <= 0) return NVML_ERROR_TIMEOUT;
    journal->WaitForNews(static_cast<int>(std::min<int64_t>(left_ms, 1000)));
  }
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t* set) {
  if (set == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithDriver(__func__, std::nullopt, [&](FakeDriver& driver) {
    auto created = std::make_unique<nvmlEventSet_st>();
    created->next = driver.world().events.size();
    set->handle = created.get();
    Sets()[created.get()] = std::move(created);
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
  return WithDriver(__func__, std::nullopt, [&](FakeDriver&) {
    return Sets().erase(set.handle) > 0 ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
  });
}
nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long* types) {
  return Reading(__func__, device, types,
                 [](const MachineGpu&, const GpuState&) { return kSupported; });
}
nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types,
                                      nvmlEventSet_t set) {
  return WithHandle(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    if (!Sets().contains(set.handle)) return NVML_ERROR_INVALID_ARGUMENT;
    if ((types & ~kSupported) != 0 || handle.IsMig()) return NVML_ERROR_NOT_SUPPORTED;
    if (IsUnreachable(driver.world().gpus[static_cast<size_t>(handle.gpu)])) {
      return NVML_ERROR_GPU_IS_LOST;
    }
    set.handle->registrations.push_back({handle.gpu, types});
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t* data, unsigned timeout_ms) {
  return Wait(__func__, set, data, timeout_ms);
}
nvmlReturn_t nvmlEventSetWait(nvmlEventSet_t set, nvmlEventData_t* data, unsigned timeout_ms) {
  return Wait(__func__, set, data, timeout_ms);
}

}  // extern "C"
}  // namespace gp
