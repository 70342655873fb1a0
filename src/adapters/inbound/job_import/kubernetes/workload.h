#pragma once

// The Kubernetes kinds that start pods, read as one pod template and its number of replicas.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "adapters/inbound/job_import/kubernetes/document.h"

namespace gp {

// What an import needs to know of a workload; the pointers refer to the document.
struct Workload {
  const YamlNode* pod = nullptr;           // the spec with containers
  const YamlNode* pod_metadata = nullptr;  // of the template; null: none
  const YamlNode* container = nullptr;     // of a kind that has a container without a pod
  const YamlNode* deadline = nullptr;      // seconds for all attempts together
  int64_t retries = 0;
  bool has_restart_policy = false;  // whether restartPolicy matters
  std::string index = "0";          // the variable with the index of a pod
  // Variables that its controller would set: always, or only if the command names them.
  std::vector<std::pair<std::string, std::string>> variables;
  std::vector<std::pair<std::string, std::string>> named_variables;
};

// nullopt: it starts no pods that end; `document` has a note.  kInvalidArgument: it cannot be one
// job, with the reason.
Result<std::optional<Workload>> ReadWorkload(Document& document);

}  // namespace gp
