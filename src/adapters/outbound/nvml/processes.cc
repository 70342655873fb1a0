#include "adapters/outbound/nvml/processes.h"

#include <algorithm>

namespace gp {
namespace {

constexpr unsigned kRoomFirst = 32;
constexpr unsigned kRoomMax = 4096;

// Appends the processes that `function` lists.  False if the driver lacks the function or refuses.
template <typename Entry>
bool Append(GpuInquiry* gpu,
            const NvmlFunction<nvmlReturn_t(nvmlDevice_t, unsigned*, Entry*)>& function,
            std::vector<GpuProcess>* processes) {
  // New processes may start between two calls, so the capacity grows by more than was missing.
  for (unsigned room = kRoomFirst; room <= kRoomMax; room *= 2) {
    std::vector<Entry> entries(room);
    unsigned count = room;
    const nvmlReturn_t result = gpu->Query(function, &count, entries.data());
    if (result == NVML_ERROR_INSUFFICIENT_SIZE) continue;
    if (result != NVML_SUCCESS) return false;
    entries.resize(std::min(count, room));
    for (const Entry& entry : entries) {
      GpuProcess process{static_cast<int>(entry.pid), std::nullopt};
      if (entry.usedGpuMemory != kNvmlMemoryUnknown) {
        process.memory_mib = static_cast<int64_t>(entry.usedGpuMemory >> 20);
      }
      processes->push_back(process);
    }
    return true;
  }
  return false;
}

}  // namespace

std::vector<GpuProcess> ReadProcesses(GpuInquiry* gpu) {
  std::vector<GpuProcess> processes;
  const NvmlFunctions& nvml = gpu->nvml;
  if (!Append(gpu, nvml.DeviceGetComputeRunningProcesses_v3, &processes) &&
      !Append(gpu, nvml.DeviceGetComputeRunningProcesses_v2, &processes)) {
    Append(gpu, nvml.DeviceGetComputeRunningProcesses, &processes);
  }
  Append(gpu, nvml.DeviceGetMPSComputeRunningProcesses_v3, &processes);
  // An MPS process may be in both lists, and in MIG mode once for each instance.
  std::ranges::stable_sort(processes, {}, &GpuProcess::pid);
  const auto same_pid = [](const GpuProcess& a, const GpuProcess& b) { return a.pid == b.pid; };
  processes.erase(std::unique(processes.begin(), processes.end(), same_pid), processes.end());
  return processes;
}

}  // namespace gp
