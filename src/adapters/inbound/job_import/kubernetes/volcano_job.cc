#include "adapters/inbound/job_import/kubernetes/workload_draft.h"

#include "adapters/inbound/job_import/kubernetes/pod_groups.h"

namespace gp {
namespace {

// Sets what its controller and its plugins set.
void SetVariables(const std::vector<PodGroup>& groups, WorkloadDraft& draft) {
  for (const char* name : {"VC_TASK_INDEX", "VK_TASK_INDEX"})
    draft.workload.named_variables.emplace_back(name, "$GP_NODE_RANK");
  for (const PodGroup& group : groups) {
    std::string upper = group.name;
    for (char& c : upper)
      c = c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    draft.workload.named_variables.emplace_back("VC_" + upper + "_HOSTS", "$GP_NODE_LIST");
    draft.workload.named_variables.emplace_back("VC_" + upper + "_NUM", "$GP_NNODES");
  }
  if (Find(draft.root, {"spec", "plugins", "pytorch"}) != nullptr)
    draft.workload.variables = {{"RANK", "$GP_NODE_RANK"}, {"WORLD_SIZE", "$GP_NNODES"}};
}

}  // namespace

Status TakeVolcanoJob(WorkloadDraft& draft) {
  const YamlNode* tasks = Find(draft.root, {"spec", "tasks"});
  if (tasks == nullptr || tasks->items.empty()) return draft.Missing("spec.tasks");
  std::vector<PodGroup> groups;
  int64_t least = 0;  // the sum of the tasks' own minimums
  for (const YamlNode& task : tasks->items) {
    const YamlNode* name = draft.document.taken.TakeText(task, {"name"});
    const YamlNode* pod_template = Find(task, {"template"});
    if (pod_template == nullptr) return draft.Missing("template of a task");
    groups.push_back({name == nullptr ? "task" : name->text, pod_template, draft.ReplicasOf(task)});
    least += draft.document.NumberAt(task, {"minAvailable"}).value_or(groups.back().replicas);
  }
  draft.SetTemplate(*GP_TRY(CommonTemplate(draft.kind + " of Volcano", groups, draft.document)));
  const auto available = draft.document.NumberAt(draft.root, {"spec", "minAvailable"});
  draft.PutNodes(*tasks, "tasks", Replicas(groups), available.value_or(least));
  if (const YamlNode* queue = draft.document.taken.TakeText(draft.root, {"spec", "queue"}))
    draft.document.PutQueue(*queue);
  if (const YamlNode* priority =
          draft.document.taken.TakeText(draft.root, {"spec", "priorityClassName"}))
    draft.document.PutPriority(*priority);
  if (const auto retries = draft.document.NumberAt(draft.root, {"spec", "maxRetry"}))
    draft.PutRetries(*retries);
  draft.workload.has_restart_policy = true;
  SetVariables(groups, draft);
  return Ok();
}

}  // namespace gp
