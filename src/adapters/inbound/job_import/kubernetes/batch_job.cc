#include "adapters/inbound/job_import/kubernetes/workload_draft.h"

#include <optional>

namespace gp {
namespace {

constexpr int64_t kBackoffLimit = 6;  // the default of a Job

// Several pods are a gang, if each has its index and all run at once; else an array of jobs.
void TakeManyPods(const YamlNode& job, bool is_indexed, int64_t parallelism,
                  std::optional<int64_t> completions, WorkloadDraft& draft) {
  const int64_t count = completions.value_or(parallelism);
  if (count <= 1) return;
  const YamlNode& place = *Find(job, {"spec", completions ? "completions" : "parallelism"});
  if (is_indexed && completions == parallelism)
    return draft.PutNodes(place, "completions: " + std::to_string(count), count, 0);
  Put(draft.document.draft, {"array", "count"}, Plain(std::to_string(count)));
  if (parallelism < count)
    Put(draft.document.draft, {"array", "max_parallel"}, Plain(std::to_string(parallelism)));
  draft.workload.index = "GP_ARRAY_INDEX";
  if (!completions)
    draft.document.Note(
        place, "parallelism: " + std::to_string(count),
        "is an array of that many jobs, and all must succeed; of workers with one work "
        "queue a single success would be enough");
}

void TakeRetries(const YamlNode& job, WorkloadDraft& draft) {
  const auto retries = draft.document.NumberAt(job, {"spec", "backoffLimit"}),
             per_index = draft.document.NumberAt(job, {"spec", "backoffLimitPerIndex"});
  draft.PutRetries(per_index.value_or(retries.value_or(kBackoffLimit)));
  if (retries && !per_index && draft.workload.index == "GP_ARRAY_INDEX")
    draft.document.Note(*Find(job, {"spec", "backoffLimit"}),
                        "backoffLimit: " + std::to_string(*retries),
                        "applies to each job of the array here, not to all together");
}

// `path`: of the job's spec, for messages.
Status TakeJobAt(const YamlNode& job, const std::string& path, WorkloadDraft& draft) {
  const YamlNode* pod_template = Find(job, {"spec", "template"});
  if (pod_template == nullptr || Find(*pod_template, {"spec"}) == nullptr)
    return draft.Missing(path + ".template.spec");
  draft.SetTemplate(*pod_template);
  const YamlNode* mode = draft.document.taken.TakeText(job, {"spec", "completionMode"});
  const bool is_indexed = mode != nullptr && mode->text == "Indexed";
  const auto parallelism = draft.document.NumberAt(job, {"spec", "parallelism"}),
             completions = draft.document.NumberAt(job, {"spec", "completions"});
  if (parallelism == 0 || completions == 0)
    return Fail(At(draft.root, "with parallelism or completions of 0 it runs nothing"));
  TakeManyPods(job, is_indexed, parallelism.value_or(1), completions, draft);
  if (const YamlNode* suspended = Find(job, {"spec", "suspend"});
      suspended != nullptr && suspended->text == "false")
    draft.document.taken.Use(*suspended);
  TakeRetries(job, draft);
  draft.workload.deadline = Find(job, {"spec", "activeDeadlineSeconds"});
  if (is_indexed || draft.workload.index != "0")
    draft.workload.named_variables.emplace_back("JOB_COMPLETION_INDEX", "$" + draft.workload.index);
  return Ok();
}

}  // namespace

Status TakeJob(WorkloadDraft& draft) { return TakeJobAt(draft.root, "spec", draft); }

Status TakeCronJob(WorkloadDraft& draft) {
  const YamlNode* job = Find(draft.root, {"spec", "jobTemplate"});
  if (job == nullptr) return draft.Missing("spec.jobTemplate");
  return TakeJobAt(*job, "spec.jobTemplate.spec", draft);
}

}  // namespace gp
