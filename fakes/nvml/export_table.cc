// nvidia-smi's private door: it asks for a table of internal functions by a GUID and calls slots of
// it.  What the slots do was found out by others by watching (k8s-test-infra's mock): 81 gives a
// device by index, 213 to 215 list processes, 230 tells the host's PCIe generation.  Every other
// slot must report success and, where it could be a list, an empty one.

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "fakes/nvml/driver.h"

namespace gp {
namespace {

constexpr size_t kSlots = 256;
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

void FillProcesses(const GpuState& state, unsigned* count, InternalProcess* list) {
  const unsigned room = *count;
  *count = 0;
  for (const auto& [pid, process] : state.processes) {
    if (*count == room) return;
    InternalProcess& entry = list[(*count)++];
    entry.detail = {pid, static_cast<unsigned long long>(process.memory_mib) << 20,
                    process.gpu_instance.value_or(kNvmlNoInstance),
                    process.compute_instance.value_or(kNvmlNoInstance), 0};
    std::strncpy(entry.name, process.name.c_str(), sizeof entry.name - 1);
    entry.name[sizeof entry.name - 1] = '\0';
  }
}

bool IsProcessList(size_t slot, const unsigned* count, const void* list) {
  return slot >= kSlotProcessesFirst && slot <= kSlotProcessesLast && *count >= 1 &&
         *count <= 65536 && reinterpret_cast<uintptr_t>(list) > 0x100000;
}

nvmlReturn_t CallSlot(size_t slot, void* a, void* b, void* c) {
  if (slot == kSlotDeviceByIndex && reinterpret_cast<uintptr_t>(a) < 64 && b != nullptr) {
    return nvmlDeviceGetHandleByIndex_v2(static_cast<unsigned>(reinterpret_cast<uintptr_t>(a)),
                                         static_cast<nvmlDevice_t*>(b));
  }
  if (b == nullptr) return NVML_SUCCESS;
  const nvmlDevice_t device = {static_cast<nvmlDevice_st*>(a)};
  auto* number = static_cast<unsigned*>(b);
  // Not a device: some other call, which gets nothing.
  WithHandle("nvmlInternal", device, [&](FakeDriver& driver, const nvmlDevice_st& handle) {
    const size_t gpu = static_cast<size_t>(handle.gpu);
    if (slot == kSlotHostPcieGeneration) {
      *number = static_cast<unsigned>(driver.world().machine.gpus[gpu].pcie_generation);
    } else if (IsProcessList(slot, number, c)) {
      FillProcesses(driver.world().gpus[gpu], number, static_cast<InternalProcess*>(c));
    } else {
      *number = 0;
    }
    return NVML_SUCCESS;
  });
  return NVML_SUCCESS;
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
