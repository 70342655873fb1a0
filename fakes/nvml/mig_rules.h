#pragma once

// The rules of MIG placement, as functions of a GPU's instances.

#include <optional>
#include <vector>

#include "fakes/nvml/gpu_state.h"
#include "fakes/nvml/mig_tables.h"

namespace gp {

// The starts at which an instance of `profile` can be created now, in the table's order.
std::vector<unsigned> FreeStarts(const GpuState& state, const MigGpuProfile& profile);
std::vector<unsigned> FreeStarts(const FakeGpuInstance& instance, const MigGpuProfile& of_instance,
                                 const MigComputeProfile& profile);

// The driver numbers GPU instances by placement: 0 the whole GPU, then halves, quarters, eighths.
unsigned GpuInstanceId(const MigTable& table, unsigned start, unsigned size);

// The number of further instances of `profile` that fit, one after the other.
unsigned RemainingCapacity(const GpuState& state, const MigTable& table,
                           const MigGpuProfile& profile);

// The lowest id that no compute instance has.
unsigned NextComputeInstanceId(const FakeGpuInstance& instance);

// "1g.10gb", or "1c.3g.40gb" if a compute instance has only a part of the GPU instance.
std::string MigInstanceName(const MigGpuProfile& profile, unsigned compute_slices);

}  // namespace gp
