#include "adapters/inbound/job_import/kubernetes/workload_draft.h"

#include <algorithm>
#include <optional>

#include "adapters/inbound/job_import/kubernetes/pod_groups.h"
#include "base/text.h"

namespace gp {
namespace {

void PutSize(const YamlEntry& replicas, int64_t pods, WorkloadDraft& draft) {
  int64_t nodes = pods, least = 0;
  const auto elastic_most =
                 draft.document.NumberAt(draft.root, {"spec", "elasticPolicy", "maxReplicas"}),
             elastic_least =
                 draft.document.NumberAt(draft.root, {"spec", "elasticPolicy", "minReplicas"});
  if (elastic_most) {
    nodes = std::min(*elastic_most, kReplicasMost);
    least = elastic_least.value_or(1);
  }
  if (const auto available = draft.document.NumberAt(
          draft.root, {"spec", "runPolicy", "schedulingPolicy", "minAvailable"}))
    least = *available;
  draft.PutNodes(replicas.value, replicas.key, nodes, least);
}

void TakeRunPolicy(WorkloadDraft& draft) {
  if (const YamlNode* queue = draft.document.taken.TakeText(
          draft.root, {"spec", "runPolicy", "schedulingPolicy", "queue"}))
    draft.document.PutQueue(*queue);
  if (const YamlNode* priority = draft.document.taken.TakeText(
          draft.root, {"spec", "runPolicy", "schedulingPolicy", "priorityClass"}))
    draft.document.PutPriority(*priority);
  draft.document.taken.TakeText(draft.root, {"spec", "runPolicy", "cleanPodPolicy"});
  if (const auto retries =
          draft.document.NumberAt(draft.root, {"spec", "runPolicy", "backoffLimit"}))
    draft.PutRetries(*retries);
  draft.workload.deadline = Find(draft.root, {"spec", "runPolicy", "activeDeadlineSeconds"});
}

// Sets what its operator sets, for programs that read RANK and for torchrun.
void SetTorchVariables(WorkloadDraft& draft) {
  const YamlNode* processes = draft.document.taken.TakeText(draft.root, {"spec", "nprocPerNode"});
  const auto count =
      processes == nullptr ? std::nullopt : std::optional(ParseCount(processes->text));
  const bool has_several = count && *count && **count > 1;
  draft.workload.variables = {
      {"RANK", "$GP_NODE_RANK"},
      {"WORLD_SIZE",
       has_several ? "$((GP_NNODES * " + std::to_string(**count) + "))" : "$GP_NNODES"},
      {"PET_NNODES", "$GP_NNODES"},
      {"PET_NODE_RANK", "$GP_NODE_RANK"},
      {"PET_MASTER_ADDR", "$GP_MASTER_ADDR"},
      {"PET_MASTER_PORT", "$GP_MASTER_PORT"}};
  if (processes != nullptr)
    draft.workload.variables.emplace_back(
        "PET_NPROC_PER_NODE", has_several ? std::to_string(**count) : "$GP_GPUS_PER_NODE");
}

}  // namespace

const YamlEntry* FindReplicas(const YamlNode& root) {
  const YamlNode* spec = Find(root, {"spec"});
  if (spec == nullptr || spec->kind != YamlNode::Kind::kMap) return nullptr;
  const auto found = std::ranges::find_if(spec->entries, [](const YamlEntry& entry) {
    return entry.key.ends_with("ReplicaSpecs") && entry.value.kind == YamlNode::Kind::kMap;
  });
  return found == spec->entries.end() ? nullptr : &*found;
}

Status TakeReplicas(const YamlEntry& replicas, WorkloadDraft& draft) {
  std::vector<PodGroup> groups;
  for (const YamlEntry& role : replicas.value.entries) {
    const YamlNode* pod_template = Find(role.value, {"template"});
    if (pod_template == nullptr)
      return draft.Missing("spec." + replicas.key + "." + Printable(role.key, 40) + ".template");
    draft.document.taken.TakeText(role.value, {"restartPolicy"});
    groups.push_back({role.key, pod_template, draft.ReplicasOf(role.value)});
  }
  draft.SetTemplate(*GP_TRY(CommonTemplate(draft.kind, groups, draft.document)));
  PutSize(replicas, Replicas(groups), draft);
  TakeRunPolicy(draft);
  if (replicas.key == "pytorchReplicaSpecs") SetTorchVariables(draft);
  return Ok();
}

Status TakeTrainJob(WorkloadDraft& draft) {
  const YamlNode* trainer = Find(draft.root, {"spec", "trainer"});
  if (trainer == nullptr || Find(*trainer, {"command"}) == nullptr)
    return Fail(At(draft.root,
                   "kind TrainJob: it has no trainer.command, so its program is in its "
                   "runtime: write it as spec.trainer.command"));
  draft.workload.container = trainer;
  const int64_t nodes = draft.document.NumberAt(*trainer, {"numNodes"}).value_or(1);
  draft.PutNodes(*trainer, "numNodes: " + std::to_string(nodes), nodes, 0);
  draft.workload.variables = {{"PET_NNODES", "$GP_NNODES"},
                              {"PET_NODE_RANK", "$GP_NODE_RANK"},
                              {"PET_MASTER_ADDR", "$GP_MASTER_ADDR"},
                              {"PET_MASTER_PORT", "$GP_MASTER_PORT"}};
  if (const auto processes = draft.document.NumberAt(*trainer, {"numProcPerNode"}))
    draft.workload.variables.emplace_back("PET_NPROC_PER_NODE", std::to_string(*processes));
  return Ok();
}

}  // namespace gp
