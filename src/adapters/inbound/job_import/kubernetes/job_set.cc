#include "adapters/inbound/job_import/kubernetes/workload_draft.h"

#include <algorithm>

#include "adapters/inbound/job_import/kubernetes/pod_groups.h"

namespace gp {

Status TakeJobSet(WorkloadDraft& draft) {
  const YamlNode* jobs = Find(draft.root, {"spec", "replicatedJobs"});
  if (jobs == nullptr || jobs->items.empty()) return draft.Missing("spec.replicatedJobs");
  std::vector<PodGroup> groups;
  for (const YamlNode& job : jobs->items) {
    const YamlNode* name = draft.document.taken.TakeText(job, {"name"});
    const YamlNode* spec = Find(job, {"template", "spec"});
    const YamlNode* pod_template = spec == nullptr ? nullptr : Find(*spec, {"template"});
    if (pod_template == nullptr) return draft.Missing("spec.replicatedJobs.template.spec.template");
    const int64_t parallelism =
        std::min(draft.document.NumberAt(*spec, {"parallelism"}).value_or(1), kReplicasMost);
    const auto completions = draft.document.NumberAt(*spec, {"completions"});
    if (completions && *completions != parallelism)
      draft.document.Note(*Find(*spec, {"completions"}),
                          "completions: " + std::to_string(*completions),
                          "is " + std::to_string(parallelism) +
                              ", as in parallelism: the job runs them all at once");
    for (const char* key : {"completionMode", "backoffLimit"})
      draft.document.taken.TakeText(*spec, {key});
    if (const YamlNode* deadline = Find(*spec, {"activeDeadlineSeconds"}))
      draft.workload.deadline = deadline;
    groups.push_back(
        {name == nullptr ? "job" : name->text, pod_template, draft.ReplicasOf(job) * parallelism});
    const bool is_alone = jobs->items.size() == 1 && groups.back().replicas == parallelism;
    draft.workload.named_variables = {
        {"JOB_COMPLETION_INDEX",
         is_alone
             ? "$GP_NODE_RANK"
             : "$((GP_NODE_RANK % " + std::to_string(std::max<int64_t>(parallelism, 1)) + "))"}};
  }
  draft.SetTemplate(*GP_TRY(CommonTemplate(draft.kind, groups, draft.document)));
  draft.PutNodes(*jobs, "replicatedJobs", Replicas(groups), 0);
  draft.PutRetries(
      draft.document.NumberAt(draft.root, {"spec", "failurePolicy", "maxRestarts"}).value_or(0));
  return Ok();
}

}  // namespace gp
