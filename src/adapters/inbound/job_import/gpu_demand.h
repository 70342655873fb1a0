#pragma once

// The GPUs that an imported job requests on each node, whole or in parts.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/inbound/job_import/gpu_names.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {

// The values of resources.gpus, as texts of a job file.
struct GpuDemand {
  int64_t count = 0;
  std::vector<std::string> models;
  std::string memory_min;  // "80GB": minimum memory of each GPU
  std::string share;       // "0.5": of the compute of each; empty: all of it
  std::string memory;      // "20GB": of each; empty: as much as the share
  std::string mig;         // "1g.5gb": an instance of that profile
  std::string isolation;   // "mps"; empty: exclusive, or time-sliced for a part of a GPU
};

// Adds what the name says about each GPU; returns "", or why the count was changed.
std::string AddName(const NamedGpu& gpu, GpuDemand& demand);

// Percent of a GPU as a share such as "0.3"; "1": all of it; nullopt: not a percentage of at
// least 1.
std::optional<std::string> ShareOfPercent(std::string_view percent);

// Writes resources.gpus of the job file.
void PutGpus(const GpuDemand& demand, YamlNode& job_file);

}  // namespace gp
