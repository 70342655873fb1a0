#pragma once

// Facts and health of the GPUs of one host, as the driver reports them.  std::nullopt means
// unknown, and zero never does: a GPU without a sensor is not a GPU at 0 degrees.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace gp {

// One place where a MIG profile may stand, in memory slices of the GPU.
struct MigPlacement {
  int start = 0;
  int size = 0;
  bool operator==(const MigPlacement&) const = default;
};

// A kind of MIG instance that a GPU can be divided into.
struct MigProfileInfo {
  int id = 0;        // NVML GPU instance profile id
  std::string name;  // "1g.10gb"
  int compute_slices = 0;
  int memory_mib = 0;
  int instances_max = 0;
  std::vector<MigPlacement> placements;
};

// A process that uses the GPU.
struct GpuProcess {
  int pid = 0;
  std::optional<int64_t> memory_mib;
};

// Facts of a GPU that do not change while the driver is loaded.
struct GpuIdentity {
  int index = 0;  // NVML's order; not the minor number, not CUDA's order
  int minor = 0;  // /dev/nvidia<minor>
  std::string uuid;
  std::string name;
  std::string serial;      // empty: unknown
  std::string pci_bus_id;  // "00000000:1B:00.0" as NVML prints it
  std::string vbios;
  int64_t memory_total_mib = 0;
  int64_t memory_reserved_mib = 0;  // by the driver: jobs may use total - reserved
  std::optional<int> compute_capability_major;
  std::optional<int> compute_capability_minor;
  bool mig_capable = false;
  bool mig_enabled = false;
  std::vector<MigProfileInfo> mig_profiles;
  std::optional<int> power_limit_watts;
  std::optional<int> temperature_slowdown_c;
  std::optional<int> temperature_shutdown_c;
};

// NVLink between two GPUs of a host, direct or through NVSwitches; links work in both directions.
struct GpuLinks {
  int gpu_a = 0;  // index, gpu_a < gpu_b
  int gpu_b = 0;
  int link_count = 0;
  bool through_switch = false;
};

// All GPUs of a host and the NVLinks between them.
struct DriverInventory {
  std::string driver_version;
  std::string nvml_version;
  std::string cuda_version;           // the newest that the driver supports, "12.4"; empty: unknown
  std::vector<GpuIdentity> gpus;      // by index
  std::vector<GpuLinks> links;        // pairs with at least one active link, sorted
  std::vector<std::string> warnings;  // one per value that could not be read: "nvmlDeviceGetX: …"
};

// Memory errors: volatile since the driver was loaded, aggregate over the life of the GPU.
struct EccCounts {
  int64_t corrected_volatile = 0;
  int64_t uncorrected_volatile = 0;
  int64_t corrected_aggregate = 0;
  int64_t uncorrected_aggregate = 0;
  bool operator==(const EccCounts&) const = default;
};

// Remapping of bad memory rows; `pending` until the next reset.
struct RowRemap {
  int corrected_rows = 0;
  int uncorrected_rows = 0;
  bool pending = false;
  bool failed = false;
  bool operator==(const RowRemap&) const = default;
};

// What the driver advises to do about a GPU.
enum class RecoveryAction { kNone, kGpuReset, kNodeReboot, kDrainP2p, kDrainAndReset };

// One of GpuHealth::throttle_reasons.
inline constexpr const char* kHardwareThermalSlowdown = "hw-thermal-slowdown";

// Readings of one GPU at one moment.
struct GpuHealth {
  int index = 0;
  std::string uuid;   // of the GPU that was read
  bool lost = false;  // the driver reports that the GPU fell off the bus
  std::optional<int> temperature_c;
  std::optional<int> power_watts;
  std::optional<int> utilization_percent;  // share of time with any kernel running, not load
  std::optional<int64_t> memory_used_mib;
  std::optional<int> sm_clock_mhz;
  std::optional<int> memory_clock_mhz;
  std::optional<EccCounts> ecc;
  std::optional<RowRemap> row_remap;
  std::optional<RecoveryAction> recovery_action;
  std::vector<std::string> throttle_reasons;  // "hw-thermal-slowdown", "sw-power-cap" …
  std::optional<int> nvlinks_active;
  std::optional<int> nvlinks_total;
  std::vector<GpuProcess> processes;
};

// Reads the GPUs of this host.  A call hangs if the driver does, so it must not run on a thread
// that others wait for.
class GpuDriver {
 public:
  virtual ~GpuDriver() = default;

  // All facts that do not change; takes milliseconds.  Errors: kUnavailable (driver not
  // responding).
  virtual Result<DriverInventory> Inventory() = 0;
  // Current readings of every GPU, in the order of the inventory.  A lost GPU is not an error: its
  // reading says so.
  virtual Result<std::vector<GpuHealth>> Health() = 0;
};

}  // namespace gp
