#pragma once

// What a GPU offers of multi-instance GPU (MIG): profiles and their possible placements, as the
// driver lists them.  This code only reads.

#include "adapters/outbound/nvml/inquiry.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// Fills mig_capable, mig_enabled and mig_profiles.  A driver may list no placements while MIG mode
// is off: then a profile has none.
void ReadMig(GpuInquiry* gpu, GpuIdentity* identity);

}  // namespace gp
