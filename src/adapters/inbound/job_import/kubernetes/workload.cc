#include "adapters/inbound/job_import/kubernetes/workload.h"

#include <algorithm>
#include <iterator>

#include "adapters/inbound/job_import/kubernetes/pod_groups.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr int64_t kBackoffLimit = 6;  // the default of a Job
constexpr int64_t kReplicasMost = 1'000'000;

// Reads the workload of one document by its kind and API group.
class WorkloadReader {
 public:
  explicit WorkloadReader(Document& document) : document_(document), root_(document.root) {}

  Result<std::optional<Workload>> Read() {
    const YamlNode* kind = document_.taken.TakeText(root_, {"kind"});
    const YamlNode* version = document_.taken.TakeText(root_, {"apiVersion"});
    kind_ = kind == nullptr ? "" : kind->text;
    const std::string api = version == nullptr ? "" : version->text;
    const std::string group = api.substr(0, api.find('/') == std::string::npos ? 0 : api.find('/'));
    using Taker = Status (WorkloadReader::*)();
    struct Row {
      std::string_view kind, group;
      Taker taker;
    };
    static const Row kRows[] = {
        {"Pod", "", &WorkloadReader::TakePod},
        {"Job", "batch", &WorkloadReader::TakeJob},
        {"CronJob", "batch", &WorkloadReader::TakeCronJob},
        {"Job", "batch.volcano.sh", &WorkloadReader::TakeVolcanoJob},
        {"JobSet", "jobset.x-k8s.io", &WorkloadReader::TakeJobSet},
        {"TrainJob", "trainer.kubeflow.org", &WorkloadReader::TakeTrainJob},
    };
    for (const Row& row : kRows) {
      const bool is_kubernetes_own = row.group.empty() || row.group == "batch";
      if (row.kind != kind_ || !(row.group == group || (api.empty() && is_kubernetes_own)))
        continue;
      GP_CHECK_OK((this->*row.taker)());
      return std::optional(std::move(workload_));
    }
    if (group == "kubeflow.org" && FindReplicas() != nullptr) {
      GP_CHECK_OK(TakeReplicas());
      return std::optional(std::move(workload_));
    }
    const std::string named = kind_.empty() ? "a document without kind"
                                            : "kind: " + kind_ + (api.empty() ? "" : " of " + api);
    document_.notes.push_back({root_.place.line, Printable(named, 100),
                               "is none of Pod, Job, CronJob, Volcano's Job, JobSet, TrainJob and "
                               "Kubeflow's jobs: import "
                               "the pods that it starts as Jobs of batch/v1"});
    return std::optional<Workload>();
  }

 private:
  Status Missing(const std::string& path) {
    return Fail(At(root_, "kind " + kind_ + ": " + path + " is missing"));
  }

  void SetTemplate(const YamlNode& pod_template) {
    workload_.pod = Find(pod_template, {"spec"});
    workload_.pod_metadata = Find(pod_template, {"metadata"});
  }

  Status TakePod() {
    workload_.pod = Find(root_, {"spec"});
    workload_.has_restart_policy = true;
    return workload_.pod == nullptr ? Missing("spec") : Ok();
  }

  void PutRetries(int64_t retries) {
    workload_.retries = retries;
    Put(document_.draft, {"retry", "max"}, Plain(std::to_string(retries)));
  }

  // Makes the job a gang with one pod on each of `nodes` nodes.
  void PutNodes(const YamlNode& place, const std::string& what, int64_t nodes, int64_t nodes_min) {
    if (nodes <= 1) return;
    Put(document_.draft, {"nodes"}, Plain(std::to_string(nodes)));
    const bool is_elastic = nodes_min > 0 && nodes_min < nodes;
    if (is_elastic) Put(document_.draft, {"nodes_min"}, Plain(std::to_string(nodes_min)));
    workload_.index = "GP_NODE_RANK";
    const std::string on = is_elastic ? std::to_string(nodes_min) + " to " + std::to_string(nodes) +
                                            " nodes, as many as are free when it starts"
                                      : std::to_string(nodes) + " nodes, all together or none";
    document_.Note(place, what,
                   "is one job on " + on + "; for independent jobs set array: in place of nodes:");
  }

  Status TakeJob() { return TakeJobAt(root_, "spec"); }

  Status TakeCronJob() {
    const YamlNode* job = Find(root_, {"spec", "jobTemplate"});
    if (job == nullptr) return Missing("spec.jobTemplate");
    return TakeJobAt(*job, "spec.jobTemplate.spec");
  }

  Status TakeJobAt(const YamlNode& job, const std::string& path) {
    const YamlNode* pod_template = Find(job, {"spec", "template"});
    if (pod_template == nullptr || Find(*pod_template, {"spec"}) == nullptr)
      return Missing(path + ".template.spec");
    SetTemplate(*pod_template);
    const YamlNode* mode = document_.taken.TakeText(job, {"spec", "completionMode"});
    const bool is_indexed = mode != nullptr && mode->text == "Indexed";
    const auto parallelism = document_.NumberAt(job, {"spec", "parallelism"}),
               completions = document_.NumberAt(job, {"spec", "completions"});
    if (parallelism == 0 || completions == 0)
      return Fail(At(root_, "with parallelism or completions of 0 it runs nothing"));
    TakeManyPods(job, is_indexed, parallelism.value_or(1), completions);
    if (const YamlNode* suspended = Find(job, {"spec", "suspend"});
        suspended != nullptr && suspended->text == "false")
      document_.taken.Use(*suspended);
    const auto retries = document_.NumberAt(job, {"spec", "backoffLimit"}),
               per_index = document_.NumberAt(job, {"spec", "backoffLimitPerIndex"});
    PutRetries(per_index.value_or(retries.value_or(kBackoffLimit)));
    if (retries && !per_index && workload_.index == "GP_ARRAY_INDEX")
      document_.Note(*Find(job, {"spec", "backoffLimit"}),
                     "backoffLimit: " + std::to_string(*retries),
                     "applies to each job of the array here, not to all together");
    workload_.deadline = Find(job, {"spec", "activeDeadlineSeconds"});
    if (is_indexed || workload_.index != "0")
      workload_.named_variables.emplace_back("JOB_COMPLETION_INDEX", "$" + workload_.index);
    return Ok();
  }

  void TakeManyPods(const YamlNode& job, bool is_indexed, int64_t parallelism,
                    std::optional<int64_t> completions) {
    const int64_t count = completions.value_or(parallelism);
    if (count <= 1) return;
    const YamlNode& place = *Find(job, {"spec", completions ? "completions" : "parallelism"});
    if (is_indexed && completions == parallelism)
      return PutNodes(place, "completions: " + std::to_string(count), count, 0);
    Put(document_.draft, {"array", "count"}, Plain(std::to_string(count)));
    if (parallelism < count)
      Put(document_.draft, {"array", "max_parallel"}, Plain(std::to_string(parallelism)));
    workload_.index = "GP_ARRAY_INDEX";
    if (!completions)
      document_.Note(
          place, "parallelism: " + std::to_string(count),
          "is an array of that many jobs, and all must succeed; of workers with one work "
          "queue a single success would be enough");
  }

  // The replicas of one group of pods.
  int64_t ReplicasOf(const YamlNode& group) {
    return std::min(document_.NumberAt(group, {"replicas"}).value_or(1), kReplicasMost);
  }

  Status TakeVolcanoJob() {
    const YamlNode* tasks = Find(root_, {"spec", "tasks"});
    if (tasks == nullptr || tasks->items.empty()) return Missing("spec.tasks");
    std::vector<PodGroup> groups;
    int64_t least = 0;  // the sum of the tasks' own minimums
    for (const YamlNode& task : tasks->items) {
      const YamlNode* name = document_.taken.TakeText(task, {"name"});
      const YamlNode* pod_template = Find(task, {"template"});
      if (pod_template == nullptr) return Missing("template of a task");
      groups.push_back({name == nullptr ? "task" : name->text, pod_template, ReplicasOf(task)});
      least += document_.NumberAt(task, {"minAvailable"}).value_or(groups.back().replicas);
    }
    SetTemplate(*GP_TRY(CommonTemplate(kind_ + " of Volcano", groups, document_)));
    const auto available = document_.NumberAt(root_, {"spec", "minAvailable"});
    PutNodes(*tasks, "tasks", Replicas(groups), available.value_or(least));
    if (const YamlNode* queue = document_.taken.TakeText(root_, {"spec", "queue"}))
      document_.PutQueue(*queue);
    if (const YamlNode* priority = document_.taken.TakeText(root_, {"spec", "priorityClassName"}))
      document_.PutPriority(*priority);
    if (const auto retries = document_.NumberAt(root_, {"spec", "maxRetry"})) PutRetries(*retries);
    workload_.has_restart_policy = true;
    for (const char* name : {"VC_TASK_INDEX", "VK_TASK_INDEX"})
      workload_.named_variables.emplace_back(name, "$GP_NODE_RANK");
    for (const PodGroup& group : groups) {
      std::string upper = group.name;
      for (char& c : upper)
        c = c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      workload_.named_variables.emplace_back("VC_" + upper + "_HOSTS", "$GP_NODE_LIST");
      workload_.named_variables.emplace_back("VC_" + upper + "_NUM", "$GP_NNODES");
    }
    if (Find(root_, {"spec", "plugins", "pytorch"}) != nullptr)
      workload_.variables = {{"RANK", "$GP_NODE_RANK"}, {"WORLD_SIZE", "$GP_NNODES"}};
    return Ok();
  }

  Status TakeJobSet() {
    const YamlNode* jobs = Find(root_, {"spec", "replicatedJobs"});
    if (jobs == nullptr || jobs->items.empty()) return Missing("spec.replicatedJobs");
    std::vector<PodGroup> groups;
    for (const YamlNode& job : jobs->items) {
      const YamlNode* name = document_.taken.TakeText(job, {"name"});
      const YamlNode* spec = Find(job, {"template", "spec"});
      const YamlNode* pod_template = spec == nullptr ? nullptr : Find(*spec, {"template"});
      if (pod_template == nullptr) return Missing("spec.replicatedJobs.template.spec.template");
      const int64_t parallelism =
          std::min(document_.NumberAt(*spec, {"parallelism"}).value_or(1), kReplicasMost);
      const auto completions = document_.NumberAt(*spec, {"completions"});
      if (completions && *completions != parallelism)
        document_.Note(*Find(*spec, {"completions"}),
                       "completions: " + std::to_string(*completions),
                       "is " + std::to_string(parallelism) +
                           ", as in parallelism: the job runs them all at once");
      for (const char* key : {"completionMode", "backoffLimit"})
        document_.taken.TakeText(*spec, {key});
      if (const YamlNode* deadline = Find(*spec, {"activeDeadlineSeconds"}))
        workload_.deadline = deadline;
      groups.push_back(
          {name == nullptr ? "job" : name->text, pod_template, ReplicasOf(job) * parallelism});
      const bool is_alone = jobs->items.size() == 1 && groups.back().replicas == parallelism;
      workload_.named_variables = {
          {"JOB_COMPLETION_INDEX",
           is_alone
               ? "$GP_NODE_RANK"
               : "$((GP_NODE_RANK % " + std::to_string(std::max<int64_t>(parallelism, 1)) + "))"}};
    }
    SetTemplate(*GP_TRY(CommonTemplate(kind_, groups, document_)));
    PutNodes(*jobs, "replicatedJobs", Replicas(groups), 0);
    PutRetries(document_.NumberAt(root_, {"spec", "failurePolicy", "maxRestarts"}).value_or(0));
    return Ok();
  }

  // The entry "pytorchReplicaSpecs" or a similar one.
  const YamlEntry* FindReplicas() const {
    const YamlNode* spec = Find(root_, {"spec"});
    if (spec == nullptr || spec->kind != YamlNode::Kind::kMap) return nullptr;
    const auto found = std::ranges::find_if(spec->entries, [](const YamlEntry& entry) {
      return entry.key.ends_with("ReplicaSpecs") && entry.value.kind == YamlNode::Kind::kMap;
    });
    return found == spec->entries.end() ? nullptr : &*found;
  }

  Status TakeReplicas() {
    const YamlEntry& replicas = *FindReplicas();
    std::vector<PodGroup> groups;
    for (const YamlEntry& role : replicas.value.entries) {
      const YamlNode* pod_template = Find(role.value, {"template"});
      if (pod_template == nullptr)
        return Missing("spec." + replicas.key + "." + Printable(role.key, 40) + ".template");
      document_.taken.TakeText(role.value, {"restartPolicy"});
      groups.push_back({role.key, pod_template, ReplicasOf(role.value)});
    }
    SetTemplate(*GP_TRY(CommonTemplate(kind_, groups, document_)));
    int64_t nodes = Replicas(groups), least = 0;
    const auto elastic_most = document_.NumberAt(root_, {"spec", "elasticPolicy", "maxReplicas"}),
               elastic_least = document_.NumberAt(root_, {"spec", "elasticPolicy", "minReplicas"});
    if (elastic_most) {
      nodes = std::min(*elastic_most, kReplicasMost);
      least = elastic_least.value_or(1);
    }
    if (const auto available =
            document_.NumberAt(root_, {"spec", "runPolicy", "schedulingPolicy", "minAvailable"}))
      least = *available;
    PutNodes(replicas.value, replicas.key, nodes, least);
    if (const YamlNode* queue =
            document_.taken.TakeText(root_, {"spec", "runPolicy", "schedulingPolicy", "queue"}))
      document_.PutQueue(*queue);
    if (const YamlNode* priority = document_.taken.TakeText(
            root_, {"spec", "runPolicy", "schedulingPolicy", "priorityClass"}))
      document_.PutPriority(*priority);
    document_.taken.TakeText(root_, {"spec", "runPolicy", "cleanPodPolicy"});
    if (const auto retries = document_.NumberAt(root_, {"spec", "runPolicy", "backoffLimit"}))
      PutRetries(*retries);
    workload_.deadline = Find(root_, {"spec", "runPolicy", "activeDeadlineSeconds"});
    if (replicas.key == "pytorchReplicaSpecs") SetTorchVariables();
    return Ok();
  }

  // Sets what its operator sets, for programs that read RANK and for torchrun.
  void SetTorchVariables() {
    const YamlNode* processes = document_.taken.TakeText(root_, {"spec", "nprocPerNode"});
    const auto count =
        processes == nullptr ? std::nullopt : std::optional(ParseCount(processes->text));
    const bool has_several = count && *count && **count > 1;
    workload_.variables = {
        {"RANK", "$GP_NODE_RANK"},
        {"WORLD_SIZE",
         has_several ? "$((GP_NNODES * " + std::to_string(**count) + "))" : "$GP_NNODES"},
        {"PET_NNODES", "$GP_NNODES"},
        {"PET_NODE_RANK", "$GP_NODE_RANK"},
        {"PET_MASTER_ADDR", "$GP_MASTER_ADDR"},
        {"PET_MASTER_PORT", "$GP_MASTER_PORT"}};
    if (processes != nullptr)
      workload_.variables.emplace_back("PET_NPROC_PER_NODE",
                                       has_several ? std::to_string(**count) : "$GP_GPUS_PER_NODE");
  }

  Status TakeTrainJob() {
    const YamlNode* trainer = Find(root_, {"spec", "trainer"});
    if (trainer == nullptr || Find(*trainer, {"command"}) == nullptr)
      return Fail(At(root_,
                     "kind TrainJob: it has no trainer.command, so its program is in its "
                     "runtime: write it as spec.trainer.command"));
    workload_.container = trainer;
    const int64_t nodes = document_.NumberAt(*trainer, {"numNodes"}).value_or(1);
    PutNodes(*trainer, "numNodes: " + std::to_string(nodes), nodes, 0);
    workload_.variables = {{"PET_NNODES", "$GP_NNODES"},
                           {"PET_NODE_RANK", "$GP_NODE_RANK"},
                           {"PET_MASTER_ADDR", "$GP_MASTER_ADDR"},
                           {"PET_MASTER_PORT", "$GP_MASTER_PORT"}};
    if (const auto processes = document_.NumberAt(*trainer, {"numProcPerNode"}))
      workload_.variables.emplace_back("PET_NPROC_PER_NODE", std::to_string(*processes));
    return Ok();
  }

  Document& document_;
  const YamlNode& root_;
  std::string kind_;
  Workload workload_;
};

}  // namespace

Result<std::optional<Workload>> ReadWorkload(Document& document) {
  return WorkloadReader(document).Read();
}

}  // namespace gp
