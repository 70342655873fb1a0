#include "adapters/inbound/job_import/kubernetes/workload_draft.h"

#include <algorithm>

namespace gp {

Status WorkloadDraft::Missing(const std::string& path) const {
  return Fail(At(root, "kind " + kind + ": " + path + " is missing"));
}

void WorkloadDraft::SetTemplate(const YamlNode& pod_template) {
  workload.pod = Find(pod_template, {"spec"});
  workload.pod_metadata = Find(pod_template, {"metadata"});
}

void WorkloadDraft::PutRetries(int64_t retries) {
  workload.retries = retries;
  Put(document.draft, {"retry", "max"}, Plain(std::to_string(retries)));
}

void WorkloadDraft::PutNodes(const YamlNode& place, const std::string& what, int64_t nodes,
                             int64_t nodes_min) {
  if (nodes <= 1) return;
  Put(document.draft, {"nodes"}, Plain(std::to_string(nodes)));
  const bool is_elastic = nodes_min > 0 && nodes_min < nodes;
  if (is_elastic) Put(document.draft, {"nodes_min"}, Plain(std::to_string(nodes_min)));
  workload.index = "GP_NODE_RANK";
  const std::string on = is_elastic ? std::to_string(nodes_min) + " to " + std::to_string(nodes) +
                                          " nodes, as many as are free when it starts"
                                    : std::to_string(nodes) + " nodes, all together or none";
  document.Note(place, what,
                "is one job on " + on + "; for independent jobs set array: in place of nodes:");
}

int64_t WorkloadDraft::ReplicasOf(const YamlNode& group) {
  return std::min(document.NumberAt(group, {"replicas"}).value_or(1), kReplicasMost);
}

}  // namespace gp
