#pragma once

// The loaded driver: one per process, from nvmlInit until the last nvmlShutdown.  Simulated
// functions use the templates below, which do the common steps: fail if not initialised, hang on
// command, read the new commands of the journal, check the handle, and fail if the GPU is lost.
//
// Environment: GPU_PLATFORM_FAKE_NVML_MACHINE (path, required), GPU_PLATFORM_FAKE_NVML_NODE
// (number), GPU_PLATFORM_FAKE_NVML_CONTROL (path of the journal).

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "adapters/outbound/nvml/abi.h"
#include "fakes/nvml/journal.h"
#include "fakes/nvml/mig_tables.h"
#include "fakes/nvml/world.h"

// The targets of handles.  Handles live as long as the process: a stale one is an error, not a
// crash.
struct nvmlDevice_st {
  int gpu = 0;
  std::optional<unsigned> gpu_instance, compute_instance;  // both: a MIG device

  bool IsMig() const { return gpu_instance.has_value(); }
};
struct nvmlGpuInstance_st {
  int gpu = 0;
  unsigned id = 0;
};
struct nvmlComputeInstance_st {
  int gpu = 0;
  unsigned gpu_instance = 0;
  unsigned id = 0;
};

namespace gp {

class FakeDriver {
 public:
  static FakeDriver& Get();

  nvmlReturn_t Init();
  nvmlReturn_t Shutdown();

  std::mutex& mutex() { return mutex_; }
  // The functions below need the mutex held.
  bool IsUp() const { return users_ > 0; }
  FakeWorld& world() { return world_; }
  // Applies the new commands of the journal.
  void Refresh();
  // Runs `decide` on the newest world while no other process can change it; the command it returns,
  // if any, is appended and applied.
  template <typename Decide>
  nvmlReturn_t Change(Decide decide);
  // The time until which a call of this name hangs; 0: it does not hang.
  int64_t HangsUntil(const char* call, std::optional<int> gpu) const;
  // Whether the GPU was lost before this process initialised the library.
  bool WasLostAtInit(int gpu) const { return lost_at_init_.contains(gpu); }
  // The GPUs that this process counts and finds, by NVML's index.  GPUs lost before it initialised
  // the library are missing, and the others are renumbered.
  const std::vector<int>& listed() const { return listed_; }
  bool IsListed(int gpu) const;
  // -1: no such GPU.
  int GpuAt(unsigned index) const;
  unsigned IndexOf(int gpu) const;
  // Stays valid after a shutdown, for threads that wait on it.
  std::shared_ptr<const FakeJournal> journal() const { return journal_; }

  nvmlDevice_t Device(int gpu);
  nvmlDevice_t MigDevice(int gpu, unsigned gpu_instance, unsigned compute_instance);
  nvmlGpuInstance_t GpuInstance(int gpu, unsigned id);
  nvmlComputeInstance_t ComputeInstance(int gpu, unsigned gpu_instance, unsigned id);
  // nullptr: not a handle, or its object no longer exists.
  const nvmlDevice_st* Find(nvmlDevice_t device) const;
  const nvmlGpuInstance_st* Find(nvmlGpuInstance_t instance) const;
  const nvmlComputeInstance_st* Find(nvmlComputeInstance_t instance) const;

 private:
  nvmlReturn_t Load();
  void Apply(const std::string& line);

  using DeviceKey = std::tuple<int, std::optional<unsigned>, std::optional<unsigned>>;
  std::mutex mutex_;
  int users_ = 0;
  FakeWorld world_;
  std::shared_ptr<FakeJournal> journal_;
  std::set<int> lost_at_init_;
  std::vector<int> listed_;
  std::map<DeviceKey, nvmlDevice_st> devices_;
  std::map<std::pair<int, unsigned>, nvmlGpuInstance_st> gpu_instances_;
  std::map<std::tuple<int, unsigned, unsigned>, nvmlComputeInstance_st> compute_instances_;
};

void SleepUntil(int64_t real_time_ns);

// Copies with a terminating zero.
nvmlReturn_t CopyText(const std::string& text, char* buffer, unsigned length);

// Calls body(FakeDriver&) with the driver initialised and its world up to date.
template <typename Body>
nvmlReturn_t WithDriver(const char* call, std::optional<int> gpu, Body body) {
  FakeDriver& driver = FakeDriver::Get();
  std::unique_lock lock(driver.mutex());
  if (!driver.IsUp()) return NVML_ERROR_UNINITIALIZED;
  driver.Refresh();
  while (const int64_t until = driver.HangsUntil(call, gpu)) {
    lock.unlock();
    SleepUntil(until);
    lock.lock();
    if (!driver.IsUp()) return NVML_ERROR_UNINITIALIZED;
    driver.Refresh();
  }
  return body(driver);
}

// Calls body(FakeDriver&, const nvmlDevice_st&) for any valid device handle, MIG or not.
template <typename Body>
nvmlReturn_t WithHandle(const char* call, nvmlDevice_t device, Body body) {
  FakeDriver& driver = FakeDriver::Get();
  std::optional<int> gpu;
  {
    std::lock_guard lock(driver.mutex());
    if (const nvmlDevice_st* found = driver.Find(device)) gpu = found->gpu;
  }
  return WithDriver(call, gpu, [&](FakeDriver& up) {
    const nvmlDevice_st* found = up.Find(device);
    if (found == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
    return body(up, *found);
  });
}

inline bool IsUnreachable(const GpuState& state) {
  return state.lost || RealTimeNs() < state.reset_until_ns;
}

// Calls body(const MachineGpu&, GpuState&) for a whole GPU; for data that the driver has of lost
// GPUs too.
template <typename Body>
nvmlReturn_t WithGpu(const char* call, nvmlDevice_t device, Body body) {
  return WithHandle(call, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    if (handle.IsMig()) return NVML_ERROR_NOT_SUPPORTED;
    const size_t gpu = static_cast<size_t>(handle.gpu);
    return body(driver.world().machine.gpus[gpu], driver.world().gpus[gpu]);
  });
}

// The same for data that only a responding GPU can provide.
template <typename Body>
nvmlReturn_t WithReading(const char* call, nvmlDevice_t device, Body body) {
  return WithGpu(call, device, [&](const MachineGpu& gpu, GpuState& state) {
    if (IsUnreachable(state)) return NVML_ERROR_GPU_IS_LOST;
    return body(gpu, state);
  });
}

// *out = get(gpu, state); get returns nullopt if the model does not report the value.
template <typename T, typename Value>
nvmlReturn_t Store(T* out, const Value& value) {
  *out = static_cast<T>(value);
  return NVML_SUCCESS;
}
template <typename T, typename Value>
nvmlReturn_t Store(T* out, const std::optional<Value>& value) {
  if (!value) return NVML_ERROR_NOT_SUPPORTED;
  *out = static_cast<T>(*value);
  return NVML_SUCCESS;
}
template <typename T, typename Get>
nvmlReturn_t Fact(const char* call, nvmlDevice_t device, T* out, Get get) {
  if (out == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithGpu(call, device, [&](const MachineGpu& gpu, const GpuState& state) {
    return Store(out, get(gpu, state));
  });
}
template <typename T, typename Get>
nvmlReturn_t Reading(const char* call, nvmlDevice_t device, T* out, Get get) {
  if (out == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithReading(call, device, [&](const MachineGpu& gpu, const GpuState& state) {
    return Store(out, get(gpu, state));
  });
}

template <typename Decide>
nvmlReturn_t FakeDriver::Change(Decide decide) {
  nvmlReturn_t result = NVML_SUCCESS;
  const Status locked = journal_->Locked([&] {
    Refresh();
    FakeCommand command;
    command.time_ns = RealTimeNs();
    result = decide(&command);
    if (result != NVML_SUCCESS || command.verb.empty()) return;
    if (!journal_->Append(FormatFakeCommand(command))) result = NVML_ERROR_NO_PERMISSION;
    Refresh();
  });
  return locked ? result : NVML_ERROR_NO_PERMISSION;
}

}  // namespace gp
