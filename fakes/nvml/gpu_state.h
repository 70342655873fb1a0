#pragma once

// The state of a GPU that changes while the fake runs.  It follows from the journal's commands
// alone (journal.h), so all processes that read one journal agree.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gp {

struct FakeProcess {
  unsigned pid = 0;
  int64_t memory_mib = 0;
  std::string name;
  std::optional<unsigned> gpu_instance, compute_instance;
};

struct FakeComputeInstance {
  unsigned id = 0;
  unsigned profile = 0;
  unsigned start = 0;
  unsigned size = 0;
};

struct FakeGpuInstance {
  unsigned id = 0;
  unsigned profile_id = 0;
  unsigned start = 0;  // memory slices
  unsigned size = 0;
  std::vector<FakeComputeInstance> compute;  // by id
};

// Counters of corrected and uncorrected errors.
struct FakeEcc {
  uint64_t corrected = 0;
  uint64_t uncorrected = 0;
};

struct FakeEvent {
  uint64_t type = 0;  // nvmlEventType*
  uint64_t data = 0;  // the XID
  int gpu = 0;
  std::optional<unsigned> gpu_instance, compute_instance;
};

struct GpuState {
  // Readings set by commands; nullopt: as in the machine file.
  std::optional<int> temperature, power_watts, sm_clock_mhz;
  std::optional<int64_t> memory_used_mib;
  int utilization = 0;
  int memory_utilization = 0;
  uint64_t throttle = 1;  // nvmlClocksEventReason*; idle at first
  uint64_t pcie_replays = 0;

  FakeEcc ecc_volatile, ecc_aggregate;
  unsigned remapped_corrected = 0, remapped_uncorrected = 0;
  bool remap_pending = false, remap_failed = false;

  bool lost = false;
  bool unlisted = false;  // lost, and not counted by processes that initialise the library later
  int64_t reset_until_ns = 0;  // of the real-time clock; 0: not in reset
  unsigned recovery_action = 0;
  std::set<unsigned> links_down;
  std::map<unsigned, FakeProcess> processes;  // by pid

  unsigned compute_mode = 0;
  bool persistence = true;
  bool mig_enabled = false;
  bool mig_pending = false;
  std::map<unsigned, FakeGpuInstance> instances;  // by id
};

}  // namespace gp
