#pragma once

// A GPU that is divided in hardware (NVIDIA's multi-instance GPU): which instances it can have, and
// where they can start. The driver reports all of it, because models differ.

#include <bit>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/result.h"

namespace gp {

inline constexpr int kMigSlicesMax = 16;  // memory slices of a GPU; current models have 4 or 8
inline constexpr size_t kMigProfilesMax = 32;
inline constexpr int kNoMig = -1;  // no profile, or no placement

// Bit i: memory slice i of a GPU.
using MigSlices = uint32_t;

struct MigProfile {
  int id = 0;        // NVML's number of the GPU instance profile
  std::string name;  // "1g.10gb"
  int compute_slices = 0;
  int memory_slices = 0;
  int64_t memory_mib = 0;  // of one instance
  MigSlices starts = 0;    // possible first slices

  auto operator<=>(const MigProfile&) const = default;
};
GP_FIELDS(MigProfile, v.id, v.name, v.compute_slices, v.memory_slices, v.memory_mib, v.starts)

// REQUIRES: `start` is one of the profile's; 0 <= start.
inline MigSlices SlicesAt(const MigProfile& profile, int start) {
  return ((MigSlices{1} << profile.memory_slices) - 1) << start;
}

// No slices: the GPU is not in MIG mode. Slices without profiles: its possible instances are
// unknown.
struct MigTable {
  int compute_slices = 0;  // of the whole GPU
  int memory_slices = 0;
  std::vector<MigProfile> profiles;  // by id

  bool empty() const { return memory_slices == 0; }
  const MigProfile* Find(int id) const;  // nullptr: no such profile
  // The smallest profile with at least this share of compute (thousandths) and this much memory; of
  // equal ones the one with less compute, then the lower id. nullptr: none is large enough.
  const MigProfile* Smallest(int share, int64_t memory_mib) const;
  // The share of the GPU's compute that an instance has, in thousandths.
  int ShareOf(const MigProfile& profile) const;
  // The start of an instance that costs the fewest further placements (LossAt); kNoMig: there is no
  // place.
  int ChooseStart(const MigProfile& profile, MigSlices taken) const;
  // The cost of an instance: the memory slices of all placements that were possible before it and
  // are not after it.
  int LossAt(const MigProfile& profile, int start, MigSlices taken) const;

  auto operator<=>(const MigTable&) const = default;
};
GP_FIELDS(MigTable, v.compute_slices, v.memory_slices, v.profiles)

// kInvalidArgument: no GPU can have such a table.
Status ValidateMigTable(const MigTable& table, int64_t gpu_memory_mib);

}  // namespace gp
