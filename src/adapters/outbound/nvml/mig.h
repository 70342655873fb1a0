#pragma once

// What multi-instance GPU (MIG) a GPU offers: profiles and their legal places, as the driver lists
// them.  Nothing here changes a layout.

#include "adapters/outbound/nvml/inquiry.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// Fills mig_capable, mig_enabled and mig_profiles.  A driver may keep places to itself while MIG
// is off: then a profile has none.
void ReadMig(GpuInquiry* gpu, GpuIdentity* identity);

}  // namespace gp
