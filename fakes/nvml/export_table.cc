// nvidia-smi's private interface: it requests a table of internal functions by a GUID and calls
// slots of it.  The meaning of the slots was derived from calls: 81, 213 to 215 and 230 by the
// authors of k8s-test-infra's mock, 23 here, with nvidia-smi 535.  Other slots answer "not
// supported" for a device and succeed otherwise, because `topo -m` stops if one of those fails.

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "fakes/nvml/driver.h"

namespace gp {
namespace {

constexpr size_t kSlots = 256;
constexpr size_t kSlotTopology = 23;
constexpr size_t kSlotDeviceByIndex = 81;
constexpr size_t kSlotProcessesFirst = 213;
constexpr size_t kSlotProcessesLast = 215;
constexpr size_t kSlotHostPcieGeneration = 230;

constexpr unsigned char kTableGuid[16] = {0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e,
                                          0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4};

// One entry of the process list that the slots fill.
struct InternalProcess {
  nvmlProcessDetail_v1_t detail;
  char name[4096];
};
static_assert(sizeof(InternalProcess) == 4128);

void FillProcesses(const GpuState& state, const nvmlDevice_st& handle, unsigned* count,
                   InternalProcess* list) {
  const unsigned room = *count;
  *count = 0;
  for (const auto& [pid, process] : state.processes) {
    if (handle.IsMig() && process.gpu_instance != handle.gpu_instance) continue;
    if (*count == room) return;
    InternalProcess& entry = list[(*count)++];
    entry.detail = {pid, static_cast<unsigned long long>(process.memory_mib) << 20,
                    process.gpu_instance.value_or(kNvmlNoInstance),
                    process.compute_instance.value_or(kNvmlNoInstance), 0};
    std::strncpy(entry.name, process.name.c_str(), sizeof entry.name - 1);
    entry.name[sizeof entry.name - 1] = '\0';
  }
}

// Takes two bus ids and returns their distance: 0 one switch (PIX), 1 several (PXB), 2 host bridge,
// 3 NUMA node, 4 system.
nvmlReturn_t CallTopology(const char* a, const char* b, unsigned* level) {
  nvmlDevice_t first, second;
  nvmlGpuTopologyLevel_t found;
  nvmlReturn_t result = nvmlDeviceGetHandleByPciBusId_v2(a, &first);
  if (result == NVML_SUCCESS) result = nvmlDeviceGetHandleByPciBusId_v2(b, &second);
  if (result == NVML_SUCCESS) {
    result = nvmlDeviceGetTopologyCommonAncestor(first, second, &found);
  }
  if (result == NVML_SUCCESS) *level = found / 10 - 1;
  return result;
}

bool IsPointer(const void* argument) { return reinterpret_cast<uintptr_t>(argument) > 0x100000; }

// Takes a device and returns a number or a list.
nvmlReturn_t CallWithDevice(size_t slot, const nvmlDevice_st& handle, FakeDriver* driver,
                            unsigned* number, void* list) {
  const size_t gpu = static_cast<size_t>(handle.gpu);
  if (slot == kSlotHostPcieGeneration) {
    *number = static_cast<unsigned>(driver->world().machine.gpus[gpu].pcie_generation);
    return NVML_SUCCESS;
  }
  if (slot >= kSlotProcessesFirst && slot <= kSlotProcessesLast && IsPointer(list)) {
    if (slot != kSlotProcessesFirst) *number = 0;  // there are compute processes only
    FillProcesses(driver->world().gpus[gpu], handle, number, static_cast<InternalProcess*>(list));
    return NVML_SUCCESS;
  }
  if (IsPointer(number)) *number = 0;  // a caller may use it as a count anyway
  return NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t CallSlot(size_t slot, void* a, void* b, void* c) {
  if (slot == kSlotDeviceByIndex && !IsPointer(a) && IsPointer(b)) {
    return nvmlDeviceGetHandleByIndex_v2(static_cast<unsigned>(reinterpret_cast<uintptr_t>(a)),
                                         static_cast<nvmlDevice_t*>(b));
  }
  if (slot == kSlotTopology) {
    return CallTopology(static_cast<const char*>(a), static_cast<const char*>(b),
                        static_cast<unsigned*>(c));
  }
  nvmlReturn_t result = NVML_SUCCESS;  // calls without a device succeed and do nothing
  WithHandle("nvmlInternal", {static_cast<nvmlDevice_st*>(a)},
             [&](FakeDriver& driver, const nvmlDevice_st& handle) {
               result = CallWithDevice(slot, handle, &driver, static_cast<unsigned*>(b), c);
               return result;
             });
  return result;
}

template <size_t kSlot>
nvmlReturn_t Slot(void* a, void* b, void* c) {
  return CallSlot(kSlot, a, b, c);
}

template <size_t... kSlot>
std::array<uintptr_t, kSlots> MakeTable(std::index_sequence<kSlot...>) {
  std::array<uintptr_t, kSlots> table = {reinterpret_cast<uintptr_t>(&Slot<kSlot>)...};
  table[0] = kSlots * sizeof(uintptr_t) * 2;  // the table's size comes first
  return table;
}

}  // namespace

extern "C" nvmlReturn_t nvmlInternalGetExportTable(const void** table, const void* guid) {
  static const auto slots = MakeTable(std::make_index_sequence<kSlots>());
  if (table == nullptr || guid == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (std::memcmp(guid, kTableGuid, sizeof kTableGuid) != 0) return NVML_ERROR_NOT_SUPPORTED;
  *table = slots.data();
  return NVML_SUCCESS;
}

}  // namespace gp
