#pragma once

// The groups of pods of a workload, such as "Master" and "Worker".

#include <cstdint>
#include <string>
#include <vector>

#include "adapters/inbound/job_import/kubernetes/document.h"

namespace gp {

struct PodGroup {
  std::string name;
  const YamlNode* pod_template = nullptr;  // contains its spec
  int64_t replicas = 1;
};

// The pods of all groups.
int64_t Replicas(const std::vector<PodGroup>& groups);

// The template of the first group, if all groups run the same.  kInvalidArgument: they do not; the
// message names the first difference.
Result<const YamlNode*> CommonTemplate(const std::string& kind, const std::vector<PodGroup>& groups,
                                       Document& document);

}  // namespace gp
