// Field values: numbered readings.

#include <algorithm>

#include "fakes/nvml/driver.h"
#include "fakes/nvml/thresholds.h"

namespace gp {
namespace {

struct FieldQuery {
  const MachineGpu& gpu;
  const GpuState& state;
  unsigned scope;
};

using Answer = std::optional<int64_t>;

// Scope 0 is the GPU; these machines do not distinguish module and memory (1, 2).
Answer Milliwatts(const FieldQuery& q, std::optional<int> watts) {
  if (!watts || q.scope != 0) return std::nullopt;
  return int64_t{*watts} * 1000;
}
Answer Ecc(const FieldQuery& q, uint64_t count) {
  if (!q.gpu.ecc) return std::nullopt;
  return static_cast<int64_t>(count);
}
Answer Remap(const FieldQuery& q, int64_t value) {
  if (!q.gpu.remap_banks) return std::nullopt;
  return value;
}
Answer OfLink(const FieldQuery& q, int64_t value) {
  if (q.scope >= q.gpu.links.size()) return std::nullopt;
  return value;
}

int64_t SwitchLinks(const FieldQuery& q) {
  int64_t count = 0;
  for (size_t i = 0; i < q.gpu.links.size(); ++i) {
    if (q.gpu.links[i].to_switch && !q.state.links_down.contains(static_cast<unsigned>(i))) ++count;
  }
  return count;
}

// One row of the table: the number, the type that a real driver uses, and the function to read it.
struct FieldRow {
  unsigned id;
  nvmlValueType_t type;
  Answer (*answer)(const FieldQuery& q);
};

constexpr nvmlValueType_t kUnsigned = NVML_VALUE_TYPE_UNSIGNED_INT;
constexpr nvmlValueType_t kLong = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
constexpr nvmlValueType_t kSigned = NVML_VALUE_TYPE_SIGNED_INT;

const FieldRow kFields[] = {
    {NVML_FI_DEV_ECC_CURRENT, kUnsigned, [](const FieldQuery& q) { return Ecc(q, 1); }},
    {NVML_FI_DEV_ECC_PENDING, kUnsigned, [](const FieldQuery& q) { return Ecc(q, 1); }},
    {NVML_FI_DEV_ECC_SBE_VOL_TOTAL, kLong,
     [](const FieldQuery& q) { return Ecc(q, q.state.ecc_volatile.corrected); }},
    {NVML_FI_DEV_ECC_DBE_VOL_TOTAL, kLong,
     [](const FieldQuery& q) { return Ecc(q, q.state.ecc_volatile.uncorrected); }},
    {NVML_FI_DEV_ECC_SBE_AGG_TOTAL, kLong,
     [](const FieldQuery& q) { return Ecc(q, q.state.ecc_aggregate.corrected); }},
    {NVML_FI_DEV_ECC_DBE_AGG_TOTAL, kLong,
     [](const FieldQuery& q) { return Ecc(q, q.state.ecc_aggregate.uncorrected); }},
    {NVML_FI_DEV_MEMORY_TEMP, kUnsigned,
     [](const FieldQuery& q) { return Answer(q.gpu.temperature_memory); }},
    {NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON, kUnsigned,
     [](const FieldQuery& q) { return OfLink(q, q.gpu.nvlink_mb_per_second); }},
    {NVML_FI_DEV_NVLINK_LINK_COUNT, kUnsigned,
     [](const FieldQuery& q) { return Answer(static_cast<int64_t>(q.gpu.links.size())); }},
    {NVML_FI_DEV_PCIE_REPLAY_COUNTER, kUnsigned,
     [](const FieldQuery& q) { return Answer(static_cast<int64_t>(q.state.pcie_replays)); }},
    {NVML_FI_DEV_REMAPPED_COR, kUnsigned,
     [](const FieldQuery& q) { return Remap(q, q.state.remapped_corrected); }},
    {NVML_FI_DEV_REMAPPED_UNC, kUnsigned,
     [](const FieldQuery& q) { return Remap(q, q.state.remapped_uncorrected); }},
    {NVML_FI_DEV_REMAPPED_PENDING, kUnsigned,
     [](const FieldQuery& q) { return Remap(q, q.state.remap_pending ? 1 : 0); }},
    {NVML_FI_DEV_REMAPPED_FAILURE, kUnsigned,
     [](const FieldQuery& q) { return Remap(q, q.state.remap_failed ? 1 : 0); }},
    {NVML_FI_DEV_NVSWITCH_CONNECTED_LINK_COUNT, kUnsigned,
     [](const FieldQuery& q) { return Answer(SwitchLinks(q)); }},
    {NVML_FI_DEV_NVLINK_GET_SPEED, kUnsigned,
     [](const FieldQuery& q) { return OfLink(q, q.gpu.nvlink_mb_per_second); }},
    {NVML_FI_DEV_NVLINK_GET_STATE, kUnsigned,
     [](const FieldQuery& q) { return OfLink(q, q.state.links_down.contains(q.scope) ? 0 : 1); }},
    {NVML_FI_DEV_NVLINK_GET_VERSION, kUnsigned,
     [](const FieldQuery& q) { return OfLink(q, q.gpu.nvlink_version); }},
    {NVML_FI_DEV_POWER_INSTANT, kUnsigned,
     [](const FieldQuery& q) {
       return Milliwatts(q, q.state.power_watts ? q.state.power_watts : q.gpu.power_idle);
     }},
    {NVML_FI_DEV_POWER_AVERAGE, kUnsigned,
     [](const FieldQuery& q) {
       return Milliwatts(q, q.state.power_watts ? q.state.power_watts : q.gpu.power_idle);
     }},
    {NVML_FI_DEV_POWER_MIN_LIMIT, kUnsigned,
     [](const FieldQuery& q) { return Milliwatts(q, q.gpu.power_min); }},
    {NVML_FI_DEV_POWER_MAX_LIMIT, kUnsigned,
     [](const FieldQuery& q) { return Milliwatts(q, q.gpu.power_max); }},
    {NVML_FI_DEV_POWER_DEFAULT_LIMIT, kUnsigned,
     [](const FieldQuery& q) { return Milliwatts(q, q.gpu.power_limit); }},
    {NVML_FI_DEV_POWER_CURRENT_LIMIT, kUnsigned,
     [](const FieldQuery& q) { return Milliwatts(q, q.gpu.power_limit); }},
    {NVML_FI_DEV_POWER_REQUESTED_LIMIT, kUnsigned,
     [](const FieldQuery& q) { return Milliwatts(q, q.gpu.power_limit); }},
    {NVML_FI_DEV_TEMPERATURE_SHUTDOWN_TLIMIT, kSigned,
     [](const FieldQuery& q) { return Answer(MarginAt(q.gpu, q.gpu.shutdown)); }},
    {NVML_FI_DEV_TEMPERATURE_SLOWDOWN_TLIMIT, kSigned,
     [](const FieldQuery& q) { return Answer(MarginAt(q.gpu, q.gpu.slowdown)); }},
    {NVML_FI_DEV_TEMPERATURE_MEM_MAX_TLIMIT, kSigned,
     [](const FieldQuery& q) { return Answer(MarginAt(q.gpu, q.gpu.memory_max)); }},
    {NVML_FI_DEV_TEMPERATURE_GPU_MAX_TLIMIT, kSigned,
     [](const FieldQuery& q) { return Answer(MarginAt(q.gpu, q.gpu.gpu_max)); }},
    {NVML_FI_DEV_GET_GPU_RECOVERY_ACTION, kUnsigned,
     [](const FieldQuery& q) { return Answer(int64_t{q.state.recovery_action}); }},
};

void Fill(const MachineGpu& gpu, const GpuState& state, nvmlFieldValue_t* value) {
  value->timestamp = RealTimeNs() / 1000;
  value->latencyUsec = 0;
  value->nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
  const auto* row = std::ranges::find(kFields, value->fieldId, &FieldRow::id);
  if (row == std::end(kFields)) return;
  const Answer answer = row->answer({gpu, state, value->scopeId});
  if (!answer) return;
  value->nvmlReturn = NVML_SUCCESS;
  value->valueType = row->type;
  value->value.ullVal = 0;
  if (row->type == kLong) value->value.ullVal = static_cast<unsigned long long>(*answer);
  if (row->type == kUnsigned) value->value.uiVal = static_cast<unsigned>(*answer);
  if (row->type == kSigned) value->value.siVal = static_cast<int>(*answer);
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t* values) {
  if (values == nullptr || count <= 0) return NVML_ERROR_INVALID_ARGUMENT;
  return WithReading(__func__, device, [&](const MachineGpu& gpu, const GpuState& state) {
    for (int i = 0; i < count; ++i) Fill(gpu, state, &values[i]);
    return NVML_SUCCESS;
  });
}

}  // extern "C"
}  // namespace gp
