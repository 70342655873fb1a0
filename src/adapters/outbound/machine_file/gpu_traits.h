#pragma once

// The description of a GPU in a machine file, as YAML keys and values in the order of the format.

#include <string>
#include <utility>
#include <vector>

#include "ports/outbound/gpu_driver.h"
#include "ports/outbound/host_topology.h"

namespace gp {

using YamlEntries = std::vector<std::pair<std::string, std::string>>;

// Properties of the model and of the idle machine: the same for most GPUs of a host.
YamlEntries ModelTraits(const GpuIdentity& gpu, const GpuHealth& health);
// Properties that differ between GPUs.  `place` may be null: the host does not show the GPU.
YamlEntries OwnTraits(const GpuIdentity& gpu, const PciGpu* place);

// A double-quoted YAML scalar.
std::string QuoteYaml(const std::string& text);
// "{a: 1, b: 2}".
std::string FlowMap(const YamlEntries& entries);

}  // namespace gp
