#pragma once

// A machine file (docs/formats/machine.md) as the fake driver reads it: the GPUs of one host.  It
// does not change while a process runs; GpuState does.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cpu_set.h"
#include "base/result.h"

namespace gp {

struct MachineNuma {
  int id = 0;
  int package = 0;
  CpuSet cpus;
  int64_t memory_mib = 0;
};

struct PciPlace {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  bool operator==(const PciPlace&) const = default;
};

// The other end of a GPU's link.
struct MachineLink {
  PciPlace remote;
  bool to_switch = false;
};

// Readings that a model lacks stay nullopt; the driver returns NOT_SUPPORTED for them.
struct MachineGpu {
  std::string name = "NVIDIA GPU";
  std::string brand = "nvidia";
  std::string architecture;
  std::string uuid;
  std::string serial;
  std::string vbios;
  std::string part_number;
  std::string inforom;
  std::string mig;  // key of a placement table; empty: no MIG support
  int minor = 0;
  std::optional<int> module;
  std::optional<int> numa;
  PciPlace pci;
  unsigned pci_id = 0;  // device in the high half, vendor in the low half
  unsigned pci_subsystem = 0;
  std::string root;        // PCI address of the bridge at the root complex
  std::string pci_switch;  // … of the nearest switch; empty: none
  int compute_major = 0;
  int compute_minor = 0;
  std::optional<int> cores;
  int64_t memory_total_mib = 0;
  int64_t memory_reserved_mib = 0;
  int64_t memory_bar1_mib = 256;
  std::optional<int> power_idle, power_limit, power_min, power_max;              // watts
  std::optional<int> temperature, temperature_memory;                            // idle, Celsius
  std::optional<int> slowdown, shutdown, gpu_max, memory_max, temperature_zero;  // thresholds
  std::optional<int> sm, memory, video, sm_max, memory_max_clock, video_max;     // MHz
  bool ecc = false;
  std::optional<int> remap_banks;  // nullopt: retires pages instead
  int pcie_generation = 3;
  int pcie_width = 16;
  int fans = 0;
  bool fabric = false;
  int nvlink_version = 0;
  int nvlink_mb_per_second = 0;
  std::vector<MachineLink> links;
};

struct Machine {
  std::string hostname;
  std::string driver_version;
  std::string cuda_version;  // "12.8"
  int packages = 1;
  std::vector<MachineNuma> numa;
  std::vector<MachineGpu> gpus;
};

// Node `node` of several simulated nodes that share the file: only minors, UUIDs and serial numbers
// differ between them.  An error names the file, the position and the problem.
Result<Machine> LoadMachine(const std::string& path, int node);

inline constexpr int kMinorsPerNode = 16;

// "00000000:53:00.0", "0000:53:00.0" or "53:00.0".
std::optional<PciPlace> ParsePciPlace(const std::string& text);
std::string PciBusId(const PciPlace& place);        // "00000000:53:00.0"
std::string PciBusIdLegacy(const PciPlace& place);  // "0000:53:00.0"

// A UUID ("8-4-4-4-12") that depends only on the arguments.
std::string DerivedUuid(const std::string& from, unsigned salt);

}  // namespace gp
