#include "adapters/inbound/job_import/kubernetes/workload.h"

#include "adapters/inbound/job_import/kubernetes/workload_draft.h"
#include "base/text.h"

namespace gp {
namespace {

Status TakePlainPod(WorkloadDraft& draft) {
  draft.workload.pod = Find(draft.root, {"spec"});
  draft.workload.has_restart_policy = true;
  return draft.workload.pod == nullptr ? draft.Missing("spec") : Ok();
}

struct Kind {
  std::string_view kind, group;
  Status (*take)(WorkloadDraft& draft);
};

constexpr Kind kKinds[] = {
    {"Pod", "", TakePlainPod},
    {"Job", "batch", TakeJob},
    {"CronJob", "batch", TakeCronJob},
    {"Job", "batch.volcano.sh", TakeVolcanoJob},
    {"JobSet", "jobset.x-k8s.io", TakeJobSet},
    {"TrainJob", "trainer.kubeflow.org", TakeTrainJob},
};

}  // namespace

Result<std::optional<Workload>> ReadWorkload(Document& document) {
  WorkloadDraft draft(document);
  const YamlNode* kind = document.taken.TakeText(draft.root, {"kind"});
  const YamlNode* version = document.taken.TakeText(draft.root, {"apiVersion"});
  draft.kind = kind == nullptr ? "" : kind->text;
  const std::string api = version == nullptr ? "" : version->text;
  const std::string group = api.substr(0, api.find('/') == std::string::npos ? 0 : api.find('/'));
  for (const Kind& one : kKinds) {
    const bool is_kubernetes_own = one.group.empty() || one.group == "batch";
    if (one.kind != draft.kind || !(one.group == group || (api.empty() && is_kubernetes_own)))
      continue;
    GP_CHECK_OK(one.take(draft));
    return std::optional(std::move(draft.workload));
  }
  const YamlEntry* replicas = group == "kubeflow.org" ? FindReplicas(draft.root) : nullptr;
  if (replicas != nullptr) {
    GP_CHECK_OK(TakeReplicas(*replicas, draft));
    return std::optional(std::move(draft.workload));
  }
  const std::string named = draft.kind.empty()
                                ? "a document without kind"
                                : "kind: " + draft.kind + (api.empty() ? "" : " of " + api);
  document.notes.push_back({draft.root.place.line, Printable(named, 100),
                            "is none of Pod, Job, CronJob, Volcano's Job, JobSet, TrainJob and "
                            "Kubeflow's jobs: import "
                            "the pods that it starts as Jobs of batch/v1"});
  return std::optional<Workload>();
}

}  // namespace gp
