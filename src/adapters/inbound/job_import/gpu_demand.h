#pragma once

// The GPUs that an imported job asks of each node, whole or in parts.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/inbound/job_file/yaml_tree.h"
#include "adapters/inbound/job_import/gpu_names.h"

namespace gp {

struct GpuDemand {
  int64_t count = 0;
  std::vector<std::string> models;
  std::string memory_min;  // "80GB": what each GPU has at least
  std::string share;       // "0.5": of the compute of each; empty: all of it
  std::string memory;      // "20GB": of each; empty: as much as the share
  std::string mig;         // "1g.5gb": an instance of that profile
  std::string isolation;   // "mps"; empty: exclusive, or time-sliced where it asks for a part
};

// What the name says of each GPU; "" or why the count is another one now.
std::string AddName(const NamedGpu& gpu, GpuDemand& demand);

// Percent of a GPU as a share: "0.3"; nullopt: it is no percentage of at least 1; "1": all of it.
std::optional<std::string> ShareOfPercent(std::string_view percent);

void PutGpus(const GpuDemand& demand, YamlNode& job_file);

}  // namespace gp
