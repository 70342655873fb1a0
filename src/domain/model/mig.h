#pragma once

// A GPU that is divided in hardware (NVIDIA's multi-instance GPU): which instances it can have and
// where they may begin.  All of it is read from the driver, because it differs between models.

#include <bit>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace gp {

inline constexpr int kMigSlicesMax = 16;  // memory slices of a GPU; today's have 4 or 8
inline constexpr size_t kMigProfilesMax = 32;
inline constexpr int kNoMig = -1;  // no profile, or no place

// Bit i: memory slice i of a GPU.
using MigSlices = uint32_t;

struct MigProfile {
  int id = 0;        // as NVML numbers GPU instance profiles
  std::string name;  // "1g.10gb"
  int compute_slices = 0;
  int memory_slices = 0;
  int64_t memory_mib = 0;  // that one instance has
  MigSlices starts = 0;    // where it may begin

  auto operator<=>(const MigProfile&) const = default;
};

// REQUIRES: the profile's; 0 <= start.
inline MigSlices SlicesAt(const MigProfile& profile, int start) {
  return ((MigSlices{1} << profile.memory_slices) - 1) << start;
}

// No slices: the GPU is not in MIG mode.  Slices without profiles: nobody knows what it can become.
struct MigTable {
  int compute_slices = 0;  // of the whole GPU
  int memory_slices = 0;
  std::vector<MigProfile> profiles;  // by id

  bool empty() const { return memory_slices == 0; }
  const MigProfile* Find(int id) const;  // nullptr: it has no such profile
  // The smallest that has this part of the compute (thousandths) and this much memory; of equal
  // ones the one with less compute, then the lower id.  nullptr: none is large enough.
  const MigProfile* Smallest(int share, int64_t memory_mib) const;
  // Thousandths of the GPU's compute that an instance has.
  int ShareOf(const MigProfile& profile) const;
  // Where an instance goes so that the least is lost of what the GPU could still become; kNoMig:
  // nowhere.
  int ChooseStart(const MigProfile& profile, MigSlices taken) const;
  // How much is lost by it: memory slices of every place that an instance could have had before and
  // not after it.
  int LossAt(const MigProfile& profile, int start, MigSlices taken) const;

  auto operator<=>(const MigTable&) const = default;
};

// kInvalidArgument: what no GPU can have.
Status ValidateMigTable(const MigTable& table, int64_t gpu_memory_mib);

}  // namespace gp
