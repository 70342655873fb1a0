#pragma once

// The `nvlinks` part of a machine file: which GPUs are connected, directly or through switches.

#include <vector>

#include "adapters/outbound/machine_file/yaml_section.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

// Ordered by pair.  Direct links of `pairs` come before those through switches.
std::vector<GpuLinks> ReadNvlinks(YamlSection section, int gpu_count);

}  // namespace gp
