// Memory, load and processes, of GPUs and of MIG devices.

#include <algorithm>
#include <vector>

#include "fakes/nvml/driver.h"
#include "fakes/nvml/mig_device.h"

namespace gp {
namespace {

constexpr unsigned long long kMib = 1024 * 1024;

struct MemoryView {
  int64_t total = 0, reserved = 0, used = 0;  // MiB
};

bool RunsIn(const FakeProcess& process, const nvmlDevice_st& handle) {
  return !handle.IsMig() || (process.gpu_instance == handle.gpu_instance &&
                             process.compute_instance == handle.compute_instance);
}

MemoryView MemoryOf(const FakeWorld& world, const nvmlDevice_st& handle) {
  const size_t gpu = static_cast<size_t>(handle.gpu);
  const MachineGpu& facts = world.machine.gpus[gpu];
  const GpuState& state = world.gpus[gpu];
  if (!handle.IsMig()) {
    return {facts.memory_total_mib, facts.memory_reserved_mib, MemoryUsedMib(state)};
  }
  MemoryView memory;
  if (const auto view = ViewMigDevice(world, handle)) memory.total = view->profile.memory_mib;
  for (const auto& [pid, process] : state.processes) {
    if (RunsIn(process, handle)) memory.used += process.memory_mib;
  }
  return memory;
}

// Calls body(const MemoryView&) for any handle whose GPU answers.
template <typename Body>
nvmlReturn_t WithMemory(const char* call, nvmlDevice_t device, Body body) {
  return WithHandle(call, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    const FakeWorld& world = driver.world();
    if (IsUnreachable(world.gpus[static_cast<size_t>(handle.gpu)])) return NVML_ERROR_GPU_IS_LOST;
    return body(MemoryOf(world, handle));
  });
}

void Fill(const FakeProcess& process, nvmlProcessInfo_v1_t* info) {
  info->pid = process.pid;
  info->usedGpuMemory = static_cast<unsigned long long>(process.memory_mib) * kMib;
}
void Fill(const FakeProcess& process, nvmlProcessInfo_v2_t* info) {
  info->pid = process.pid;
  info->usedGpuMemory = static_cast<unsigned long long>(process.memory_mib) * kMib;
  info->gpuInstanceId = process.gpu_instance.value_or(kNvmlNoInstance);
  info->computeInstanceId = process.compute_instance.value_or(kNvmlNoInstance);
}

template <typename Info>
nvmlReturn_t Processes(const char* call, nvmlDevice_t device, unsigned* count, Info* infos) {
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithHandle(call, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    const GpuState& state = driver.world().gpus[static_cast<size_t>(handle.gpu)];
    if (IsUnreachable(state)) return NVML_ERROR_GPU_IS_LOST;
    const unsigned room = infos == nullptr ? 0 : *count;
    unsigned found = 0;
    for (const auto& [pid, process] : state.processes) {
      if (!RunsIn(process, handle)) continue;
      if (found < room) Fill(process, &infos[found]);
      ++found;
    }
    *count = found;
    return found > room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
  });
}

// There are only compute processes; the other lists are empty.
nvmlReturn_t NoProcesses(const char* call, nvmlDevice_t device, unsigned* count) {
  return Reading(call, device, count, [](const MachineGpu&, const GpuState&) { return 0; });
}

nvmlReturn_t EngineLoad(const char* call, nvmlDevice_t device, unsigned* percent,
                        unsigned* period_us) {
  if (percent == nullptr || period_us == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *period_us = 1'000'000 / 6;
  return Reading(call, device, percent, [](const MachineGpu&, const GpuState&) { return 0; });
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t* memory) {
  if (memory == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithMemory(__func__, device, [&](const MemoryView& view) {
    memory->total = static_cast<unsigned long long>(view.total) * kMib;
    memory->used = static_cast<unsigned long long>(view.used + view.reserved) * kMib;
    memory->free = memory->total - memory->used;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t* memory) {
  if (memory == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (memory->version != NvmlStructVersion<nvmlMemory_v2_t>(2)) {
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }
  return WithMemory(__func__, device, [&](const MemoryView& view) {
    memory->total = static_cast<unsigned long long>(view.total) * kMib;
    memory->reserved = static_cast<unsigned long long>(view.reserved) * kMib;
    memory->used = static_cast<unsigned long long>(view.used) * kMib;
    memory->free = memory->total - memory->reserved - memory->used;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetBAR1MemoryInfo(nvmlDevice_t device, nvmlBAR1Memory_t* memory) {
  if (memory == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithHandle(__func__, device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    const size_t gpu = static_cast<size_t>(handle.gpu);
    if (IsUnreachable(driver.world().gpus[gpu])) return NVML_ERROR_GPU_IS_LOST;
    memory->bar1Total =
        static_cast<unsigned long long>(driver.world().machine.gpus[gpu].memory_bar1_mib) * kMib;
    const auto view = handle.IsMig() ? ViewMigDevice(driver.world(), handle) : std::nullopt;
    if (view) {
      memory->bar1Total = memory->bar1Total / view->table.memory_slices * view->instance.size;
    }
    memory->bar1Used = kMib;
    memory->bar1Free = memory->bar1Total - memory->bar1Used;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t* utilization) {
  if (utilization == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithReading(__func__, device, [&](const MachineGpu&, const GpuState& state) {
    if (state.mig_enabled) return NVML_ERROR_NOT_SUPPORTED;  // as on real GPUs
    utilization->gpu = static_cast<unsigned>(state.utilization);
    utilization->memory = static_cast<unsigned>(state.memory_utilization);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetEncoderUtilization(nvmlDevice_t device, unsigned* percent,
                                             unsigned* period_us) {
  return EngineLoad(__func__, device, percent, period_us);
}
nvmlReturn_t nvmlDeviceGetDecoderUtilization(nvmlDevice_t device, unsigned* percent,
                                             unsigned* period_us) {
  return EngineLoad(__func__, device, percent, period_us);
}
nvmlReturn_t nvmlDeviceGetJpgUtilization(nvmlDevice_t device, unsigned* percent,
                                         unsigned* period_us) {
  return EngineLoad(__func__, device, percent, period_us);
}
nvmlReturn_t nvmlDeviceGetOfaUtilization(nvmlDevice_t device, unsigned* percent,
                                         unsigned* period_us) {
  return EngineLoad(__func__, device, percent, period_us);
}

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(nvmlDevice_t device, unsigned* count,
                                                  nvmlProcessInfo_v1_t* infos) {
  return Processes(__func__, device, count, infos);
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(nvmlDevice_t device, unsigned* count,
                                                     nvmlProcessInfo_v2_t* infos) {
  return Processes(__func__, device, count, infos);
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned* count,
                                                     nvmlProcessInfo_t* infos) {
  return Processes(__func__, device, count, infos);
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses(nvmlDevice_t device, unsigned* count,
                                                   nvmlProcessInfo_v1_t*) {
  return NoProcesses(__func__, device, count);
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v2(nvmlDevice_t device, unsigned* count,
                                                      nvmlProcessInfo_v2_t*) {
  return NoProcesses(__func__, device, count);
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned* count,
                                                      nvmlProcessInfo_t*) {
  return NoProcesses(__func__, device, count);
}
nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v3(nvmlDevice_t device, unsigned* count,
                                                        nvmlProcessInfo_t*) {
  return NoProcesses(__func__, device, count);
}

nvmlReturn_t nvmlDeviceGetProcessUtilization(nvmlDevice_t device,
                                             nvmlProcessUtilizationSample_t* samples,
                                             unsigned* count, unsigned long long) {
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return WithReading(__func__, device, [&](const MachineGpu&, const GpuState& state) {
    const unsigned room = samples == nullptr ? 0 : *count;
    *count = static_cast<unsigned>(state.processes.size());
    if (state.processes.empty()) return NVML_ERROR_NOT_FOUND;
    if (*count > room) return NVML_ERROR_INSUFFICIENT_SIZE;
    const unsigned share = static_cast<unsigned>(state.utilization) / *count;
    for (const auto& [pid, process] : state.processes) {
      *samples++ = {pid, static_cast<unsigned long long>(RealTimeNs() / 1000), share, 0, 0, 0};
    }
    return NVML_SUCCESS;
  });
}

}  // extern "C"
}  // namespace gp
