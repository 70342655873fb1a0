#pragma once

// The kinds of Kubernetes that start pods, as one template and how many of it there are.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/inbound/job_import/document.h"

namespace gp {

struct Workload {
  const YamlNode* pod = nullptr;           // with containers
  const YamlNode* pod_metadata = nullptr;  // of the template; null: none
  const YamlNode* container = nullptr;     // of a kind that has one without a pod
  const YamlNode* deadline = nullptr;      // seconds for all attempts together
  int64_t retries = 0;
  bool has_restart_policy = false;  // what restartPolicy says counts
  std::string index = "0";          // the variable that tells one from the others
  // What its controller would set: read by the program itself, or only where its text names them.
  std::vector<std::pair<std::string, std::string>> variables;
  std::vector<std::pair<std::string, std::string>> named_variables;
};

// nullopt: it starts no pods that end, which `document` notes.  kInvalidArgument: it cannot be one
// job, and why.
Result<std::optional<Workload>> ReadWorkload(Document& document);

}  // namespace gp
