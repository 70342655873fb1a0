#pragma once

// The readings of a GPU as they go up to the controller, which knows the GPU by its UUID.

#include <cstddef>
#include <vector>

#include "gpu_platform/v1/control.pb.h"
#include "ports/outbound/gpu_watch.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// The UUID is that of the GPU that was read, and what stays of a GPU (serial number, limits) is
// that of this UUID.  One that was never read is the one at its position among `gpus`: nothing is
// told but that it is not read.
v1::GpuReadings ReadingsOf(const GpuReading& reading, size_t position,
                           const std::vector<GpuIdentity>& gpus);

}  // namespace gp
