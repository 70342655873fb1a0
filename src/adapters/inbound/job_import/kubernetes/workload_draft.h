#pragma once

// A workload while it is read, and how each kind that starts pods is read.

#include <cstdint>
#include <string>

#include "adapters/inbound/job_import/kubernetes/workload.h"

namespace gp {

inline constexpr int64_t kReplicasMost = 1'000'000;

// The state of reading one workload; used by one thread.
struct WorkloadDraft {
  explicit WorkloadDraft(Document& read_document)
      : document(read_document), root(read_document.root) {}

  // An error: the kind has no value at the path.
  Status Missing(const std::string& path) const;
  void SetTemplate(const YamlNode& pod_template);
  void PutRetries(int64_t retries);
  // Makes the job a gang with one pod on each of `nodes` nodes; `nodes_min` of 0: no fewer.
  // `place` and `what`: what its note names.
  void PutNodes(const YamlNode& place, const std::string& what, int64_t nodes, int64_t nodes_min);
  // The replicas of one group of pods.
  int64_t ReplicasOf(const YamlNode& group);

  Document& document;
  const YamlNode& root;
  std::string kind;
  Workload workload;
};

// One function per kind.  kInvalidArgument: it cannot be one job, with the reason.

// batch_job.cc
Status TakeJob(WorkloadDraft& draft);
Status TakeCronJob(WorkloadDraft& draft);
// volcano_job.cc
Status TakeVolcanoJob(WorkloadDraft& draft);
// job_set.cc
Status TakeJobSet(WorkloadDraft& draft);
// kubeflow_job.cc
Status TakeTrainJob(WorkloadDraft& draft);
// The entry "pytorchReplicaSpecs" or a similar one, which makes it one of Kubeflow's older kinds;
// nullptr: there is none.
const YamlEntry* FindReplicas(const YamlNode& root);
Status TakeReplicas(const YamlEntry& replicas, WorkloadDraft& draft);

}  // namespace gp
