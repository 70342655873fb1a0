#pragma once

// The profiles of each MIG-capable model, with ids and possible placements.  Ids, counts and
// placements are those that NVIDIA's MIG user guide and `nvidia-smi mig -lgip -lgipp` show for the
// models.

#include <span>
#include <string_view>

namespace gp {

struct MigGpuProfile {
  unsigned index;  // NVML_GPU_INSTANCE_PROFILE_*
  unsigned id;     // the driver's id
  const char* name;
  unsigned compute_slices;
  unsigned memory_slices;
  unsigned instances_max;
  unsigned multiprocessors;
  unsigned copy_engines, decoders, jpeg, ofa;
  unsigned memory_mib;
  std::span<const unsigned> starts;  // in memory slices
};

struct MigTable {
  std::string_view key;  // as in the machine file
  unsigned compute_slices;
  unsigned memory_slices;
  unsigned multiprocessors_per_slice;
  std::span<const MigGpuProfile> profiles;
};

// nullptr: no such table.
const MigTable* FindMigTable(std::string_view key);

// Both nullptr if the model does not offer it.
const MigGpuProfile* FindProfileByIndex(const MigTable& table, unsigned index);
const MigGpuProfile* FindProfileById(const MigTable& table, unsigned id);

// Compute instances divide the compute slices of a GPU instance in the same way on every model.
struct MigComputeProfile {
  unsigned index;  // NVML_COMPUTE_INSTANCE_PROFILE_*, also its id
  unsigned slices;
  unsigned stride;  // starts are multiples of it
};
std::span<const MigComputeProfile> MigComputeProfiles();
const MigComputeProfile* FindComputeProfile(unsigned index);
// The number of these that fit into a GPU instance of `slices` compute slices.
unsigned ComputeInstancesMax(const MigComputeProfile& profile, unsigned slices);

}  // namespace gp
