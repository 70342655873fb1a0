#pragma once

// The readings of a GPU as they are sent to the controller, which identifies the GPU by its UUID.

#include <cstddef>
#include <vector>

#include "gpu_platform/v1/control.pb.h"
#include "ports/outbound/gpu_watch.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// The message has the UUID of the GPU that was read, and the static facts (serial number, limits)
// of the same UUID.  A GPU that was never read is taken from its position in `gpus`, and the
// message says only that there is no reading.
v1::GpuReadings ReadingsOf(const GpuReading& reading, size_t position,
                           const std::vector<GpuIdentity>& gpus);

}  // namespace gp
