#include "adapters/inbound/job_import/kubernetes/workload_draft.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "adapters/inbound/job_import/kubernetes/pod_groups.h"

namespace gp {
namespace {

// The pods of one job that run at once; another number of completions has a note.
int64_t TakeParallelism(const YamlNode& spec, Document& document) {
  const int64_t parallelism =
      std::min(document.NumberAt(spec, {"parallelism"}).value_or(1), kReplicasMost);
  const auto completions = document.NumberAt(spec, {"completions"});
  if (completions && *completions != parallelism)
    document.Note(
        *Find(spec, {"completions"}), "completions: " + std::to_string(*completions),
        "is " + std::to_string(parallelism) + ", as in parallelism: the job runs them all at once");
  return parallelism;
}

// `is_alone`: all pods are of one job.
void SetJobIndex(int64_t parallelism, bool is_alone, Workload& workload) {
  workload.named_variables = {
      {"JOB_COMPLETION_INDEX",
       is_alone ? "$GP_NODE_RANK"
                : "$((GP_NODE_RANK % " + std::to_string(std::max<int64_t>(parallelism, 1)) + "))"}};
}

// Adds the pods of one of the replicated jobs; `is_only`: there are no others.
Status TakeReplicatedJob(const YamlNode& job, bool is_only, std::vector<PodGroup>& groups,
                         WorkloadDraft& draft) {
  const YamlNode* name = draft.document.taken.TakeText(job, {"name"});
  const YamlNode* spec = Find(job, {"template", "spec"});
  const YamlNode* pod_template = spec == nullptr ? nullptr : Find(*spec, {"template"});
  if (pod_template == nullptr) return draft.Missing("spec.replicatedJobs.template.spec.template");
  const int64_t parallelism = TakeParallelism(*spec, draft.document);
  for (const char* key : {"completionMode", "backoffLimit"})
    draft.document.taken.TakeText(*spec, {key});
  if (const YamlNode* deadline = Find(*spec, {"activeDeadlineSeconds"}))
    draft.workload.deadline = deadline;
  const int64_t pods = draft.ReplicasOf(job) * parallelism;
  groups.push_back({name == nullptr ? "job" : name->text, pod_template, pods});
  SetJobIndex(parallelism, is_only && pods == parallelism, draft.workload);
  return Ok();
}

}  // namespace

Status TakeJobSet(WorkloadDraft& draft) {
  const YamlNode* jobs = Find(draft.root, {"spec", "replicatedJobs"});
  if (jobs == nullptr || jobs->items.empty()) return draft.Missing("spec.replicatedJobs");
  std::vector<PodGroup> groups;
  for (const YamlNode& job : jobs->items)
    GP_CHECK_OK(TakeReplicatedJob(job, jobs->items.size() == 1, groups, draft));
  draft.SetTemplate(*GP_TRY(CommonTemplate(draft.kind, groups, draft.document)));
  draft.PutNodes(*jobs, "replicatedJobs", Replicas(groups), 0);
  draft.PutRetries(
      draft.document.NumberAt(draft.root, {"spec", "failurePolicy", "maxRestarts"}).value_or(0));
  return Ok();
}

}  // namespace gp
