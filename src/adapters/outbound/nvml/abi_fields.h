#pragma once

// Field values (numbered readings, asked for in batches), events and reasons for reduced clocks.

#include "adapters/outbound/nvml/abi_types.h"

enum nvmlValueType_t : unsigned int {
  NVML_VALUE_TYPE_DOUBLE = 0,
  NVML_VALUE_TYPE_UNSIGNED_INT = 1,
  NVML_VALUE_TYPE_UNSIGNED_LONG = 2,
  NVML_VALUE_TYPE_UNSIGNED_LONG_LONG = 3,
  NVML_VALUE_TYPE_SIGNED_LONG_LONG = 4,
  NVML_VALUE_TYPE_SIGNED_INT = 5,
  NVML_VALUE_TYPE_UNSIGNED_SHORT = 6,
};
union nvmlValue_t {
  double dVal;
  int siVal;
  unsigned int uiVal;
  unsigned long ulVal;
  unsigned long long ullVal;
  signed long long sllVal;
  unsigned short usVal;
};
struct nvmlFieldValue_t {
  unsigned int fieldId;
  unsigned int scopeId;  // which link, sensor …; 0 where there is only one
  long long timestamp;   // microseconds since 1970
  long long latencyUsec;
  nvmlValueType_t valueType;
  nvmlReturn_t nvmlReturn;  // `value` counts only where this is NVML_SUCCESS
  nvmlValue_t value;
};

inline constexpr unsigned int NVML_FI_DEV_ECC_CURRENT = 1;
inline constexpr unsigned int NVML_FI_DEV_ECC_PENDING = 2;
inline constexpr unsigned int NVML_FI_DEV_ECC_SBE_VOL_TOTAL = 3;
inline constexpr unsigned int NVML_FI_DEV_ECC_DBE_VOL_TOTAL = 4;
inline constexpr unsigned int NVML_FI_DEV_ECC_SBE_AGG_TOTAL = 5;
inline constexpr unsigned int NVML_FI_DEV_ECC_DBE_AGG_TOTAL = 6;
inline constexpr unsigned int NVML_FI_DEV_RETIRED_SBE = 29;
inline constexpr unsigned int NVML_FI_DEV_RETIRED_DBE = 30;
inline constexpr unsigned int NVML_FI_DEV_RETIRED_PENDING = 31;
inline constexpr unsigned int NVML_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL = 38;
inline constexpr unsigned int NVML_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL = 52;
inline constexpr unsigned int NVML_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL = 59;
inline constexpr unsigned int NVML_FI_DEV_MEMORY_TEMP = 82;
inline constexpr unsigned int NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION = 83;  // millijoules
inline constexpr unsigned int NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON = 90;
inline constexpr unsigned int NVML_FI_DEV_NVLINK_LINK_COUNT = 91;
inline constexpr unsigned int NVML_FI_DEV_PCIE_REPLAY_COUNTER = 94;
inline constexpr unsigned int NVML_FI_DEV_REMAPPED_COR = 142;
inline constexpr unsigned int NVML_FI_DEV_REMAPPED_UNC = 143;
inline constexpr unsigned int NVML_FI_DEV_REMAPPED_PENDING = 144;
inline constexpr unsigned int NVML_FI_DEV_REMAPPED_FAILURE = 145;
inline constexpr unsigned int NVML_FI_DEV_NVSWITCH_CONNECTED_LINK_COUNT = 147;
inline constexpr unsigned int NVML_FI_DEV_NVLINK_GET_SPEED = 164;  // MB/s; the link is the scope
inline constexpr unsigned int NVML_FI_DEV_NVLINK_GET_STATE = 165;
inline constexpr unsigned int NVML_FI_DEV_NVLINK_GET_VERSION = 166;
inline constexpr unsigned int NVML_FI_DEV_C2C_LINK_COUNT = 170;
inline constexpr unsigned int NVML_FI_DEV_POWER_AVERAGE = 185;  // milliwatts
inline constexpr unsigned int NVML_FI_DEV_POWER_INSTANT = 186;
inline constexpr unsigned int NVML_FI_DEV_POWER_MIN_LIMIT = 187;
inline constexpr unsigned int NVML_FI_DEV_POWER_MAX_LIMIT = 188;
inline constexpr unsigned int NVML_FI_DEV_POWER_DEFAULT_LIMIT = 189;
inline constexpr unsigned int NVML_FI_DEV_POWER_CURRENT_LIMIT = 190;
inline constexpr unsigned int NVML_FI_DEV_POWER_REQUESTED_LIMIT = 192;
// Offsets from the temperature at which clocks start to fall; newer GPUs report only these.
inline constexpr unsigned int NVML_FI_DEV_TEMPERATURE_SHUTDOWN_TLIMIT = 193;
inline constexpr unsigned int NVML_FI_DEV_TEMPERATURE_SLOWDOWN_TLIMIT = 194;
inline constexpr unsigned int NVML_FI_DEV_TEMPERATURE_MEM_MAX_TLIMIT = 195;
inline constexpr unsigned int NVML_FI_DEV_TEMPERATURE_GPU_MAX_TLIMIT = 196;
inline constexpr unsigned int NVML_FI_DEV_RESET_STATUS = 226;
inline constexpr unsigned int NVML_FI_DEV_DRAIN_AND_RESET_STATUS = 227;
inline constexpr unsigned int NVML_FI_DEV_GET_GPU_RECOVERY_ACTION = 230;

// Values of NVML_FI_DEV_GET_GPU_RECOVERY_ACTION.
enum nvmlDeviceGpuRecoveryAction_t : unsigned int {
  NVML_GPU_RECOVERY_ACTION_NONE = 0,
  NVML_GPU_RECOVERY_ACTION_GPU_RESET = 1,
  NVML_GPU_RECOVERY_ACTION_NODE_REBOOT = 2,
  NVML_GPU_RECOVERY_ACTION_DRAIN_P2P = 3,
  NVML_GPU_RECOVERY_ACTION_DRAIN_AND_RESET = 4,
  NVML_GPU_RECOVERY_ACTION_RECOVER_IMEX_DOMAIN = 5,
};

// What nvmlEventSetWait delivers.
struct nvmlEventData_t {
  nvmlDevice_t device;
  unsigned long long eventType;  // one of the bits below
  unsigned long long eventData;  // the XID, for XID events
  unsigned int gpuInstanceId;    // kNvmlNoInstance outside MIG
  unsigned int computeInstanceId;
};
inline constexpr unsigned long long nvmlEventTypeSingleBitEccError = 0x1;
inline constexpr unsigned long long nvmlEventTypeDoubleBitEccError = 0x2;
inline constexpr unsigned long long nvmlEventTypePState = 0x4;
inline constexpr unsigned long long nvmlEventTypeXidCriticalError = 0x8;
inline constexpr unsigned long long nvmlEventTypeClock = 0x10;
inline constexpr unsigned long long nvmlEventTypePowerSourceChange = 0x80;
inline constexpr unsigned long long nvmlEventMigConfigChange = 0x100;
inline constexpr unsigned long long nvmlEventTypeSingleBitEccErrorStorm = 0x200;
inline constexpr unsigned long long nvmlEventTypeDramRetirementEvent = 0x400;
inline constexpr unsigned long long nvmlEventTypeDramRetirementFailure = 0x800;
inline constexpr unsigned long long nvmlEventTypeNonFatalPoisonError = 0x1000;
inline constexpr unsigned long long nvmlEventTypeFatalPoisonError = 0x2000;
inline constexpr unsigned long long nvmlEventTypeGpuUnavailableError = 0x4000;
inline constexpr unsigned long long nvmlEventTypeGpuRecoveryAction = 0x8000;

// Why clocks are below their maximum.
inline constexpr unsigned long long nvmlClocksEventReasonGpuIdle = 0x1;
inline constexpr unsigned long long nvmlClocksEventReasonApplicationsClocksSetting = 0x2;
inline constexpr unsigned long long nvmlClocksEventReasonSwPowerCap = 0x4;
inline constexpr unsigned long long nvmlClocksThrottleReasonHwSlowdown = 0x8;
inline constexpr unsigned long long nvmlClocksEventReasonSyncBoost = 0x10;
inline constexpr unsigned long long nvmlClocksEventReasonSwThermalSlowdown = 0x20;
inline constexpr unsigned long long nvmlClocksThrottleReasonHwThermalSlowdown = 0x40;
inline constexpr unsigned long long nvmlClocksThrottleReasonHwPowerBrakeSlowdown = 0x80;
inline constexpr unsigned long long nvmlClocksEventReasonDisplayClockSetting = 0x100;
