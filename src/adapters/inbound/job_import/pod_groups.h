#pragma once

// Groups of pods of one workload: "Master" and "Worker".

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/inbound/job_import/document.h"

namespace gp {

struct PodGroup {
  std::string name;
  const YamlNode* pod_template = nullptr;  // with its spec
  int64_t replicas = 1;
};

int64_t Replicas(const std::vector<PodGroup>& groups);

// Of groups that all run the same, the template of the first.  kInvalidArgument: they do not; it
// names what differs.
Result<const YamlNode*> CommonTemplate(const std::string& kind, const std::vector<PodGroup>& groups,
                                       Document& document);

}  // namespace gp
