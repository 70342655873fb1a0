#include "adapters/inbound/job_import/kubernetes/pod.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "adapters/inbound/job_import/kubernetes/pod_resources.h"
#include "adapters/inbound/job_import/kubernetes/pod_variables.h"
#include "base/text.h"
#include "domain/model/jobs/job_spec.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

// Says which container has the GPUs, of several in a pod.
constexpr std::string_view kContainerName = "gpu-fraction-container-name";

// Node labels by which clusters name GPU models.
bool IsProductLabel(std::string_view key) {
  constexpr std::string_view kLabels[] = {"nvidia.com/gpu.product",
                                          "nvidia.com/gpu.family",
                                          "cloud.google.com/gke-accelerator",
                                          "gpu.nvidia.com/class",
                                          "gpu.nvidia.com/model",
                                          "karpenter.k8s.aws/instance-gpu-name",
                                          "accelerator"};
  return std::ranges::find(kLabels, key) != std::end(kLabels);
}

// The limit of each attempt, in seconds: at most `limit`, that of the pod.  Says where the deadline
// of the workload means something else.
std::optional<int64_t> WithDeadline(std::optional<int64_t> limit, const YamlNode& deadline,
                                    const Workload& workload, Document& document) {
  document.taken.Use(deadline);
  const std::string written = "activeDeadlineSeconds: " + deadline.text;
  const auto total = ParseCount(deadline.text);
  if (!total) {
    document.Note(deadline, written, "cannot be read: a number is expected");
  } else {
    const int64_t of_attempt = std::min(limit.value_or(*total), *total);
    limit = of_attempt;
    const int64_t attempts = workload.retries + 1;
    if (attempts > *total || of_attempt > *total / attempts) {
      document.Note(deadline, written,
                    "limits all attempts together there and each attempt here, of which there "
                    "may be " +
                        std::to_string(attempts) + ": retry: {max: 0} keeps the limit");
    }
    if (workload.index == "GP_ARRAY_INDEX")
      document.Note(deadline, written, "limits each job of the array here, not all together");
  }
  return limit;
}

// The limit of a pod applies to each attempt, the limit of a workload to all attempts together.
void TakeTimes(const YamlNode& pod, const Workload& workload, Document& document) {
  const YamlNode* restart = document.taken.TakeText(pod, {"restartPolicy"});
  const std::string policy = restart == nullptr ? "Always" : restart->text;
  if (workload.has_restart_policy && workload.retries == 0 && policy != "Never")
    document.Note(restart == nullptr ? pod : *restart, "restartPolicy: " + policy,
                  "a job that fails is not restarted; set retry: {max: …}");
  if (const auto grace = document.NumberAt(pod, {"terminationGracePeriodSeconds"}))
    Put(document.draft, {"checkpoint", "grace"}, Plain(std::to_string(*grace) + "s"));
  auto limit = document.NumberAt(pod, {"activeDeadlineSeconds"});
  if (workload.deadline != nullptr)
    limit = WithDeadline(limit, *workload.deadline, workload, document);
  if (limit) Put(document.draft, {"time_limit"}, Plain(std::to_string(*limit) + "s"));
}

void TakePlace(const YamlNode& pod, PodGpuHints& hints, Document& document) {
  if (const YamlNode* priority = document.taken.TakeText(pod, {"priorityClassName"}))
    document.PutPriority(*priority);
  document.ForEachText(
      Find(pod, {"nodeSelector"}), [&](const std::string& key, const YamlNode& value) {
        if (key.starts_with("kubernetes.io/") || key.starts_with("node.kubernetes.io/"))
          return false;
        if (IsProductLabel(key)) {
          hints.product = &value;
          hints.product_label = key;
          return true;
        }
        if (LabelNameFault(key) || LabelValueFault(value.text)) return false;
        Put(document.draft, {"node_labels", key}, Text(value.text));
        return true;
      });
}

// Annotations of the template, or of the pod itself; some tools use labels for the same.  Returns
// the name of the container that has the GPUs; empty: not given.
std::string ReadAnnotations(const YamlNode* pod_metadata, PodGpuHints& hints, Document& document) {
  std::string container_name;
  for (const YamlNode* metadata : {pod_metadata, Find(document.root, {"metadata"})}) {
    if (metadata == nullptr) continue;
    for (const char* part : {"annotations", "labels"}) {
      document.ForEachText(Find(*metadata, {part}),
                           [&](const std::string& key, const YamlNode& value) {
                             if (key == kContainerName) container_name = value.text;
                             if (IsGpuAnnotation(key)) hints.annotations.try_emplace(key, &value);
                             return IsGpuAnnotation(key) || key == kContainerName;
                           });
    }
  }
  return container_name;
}

// The container that has the GPUs, or else the first one.
Result<const YamlNode*> FindContainer(const YamlNode& pod, const Workload& workload,
                                      const std::string& container_name) {
  if (workload.container != nullptr) return workload.container;
  const YamlNode* containers = Find(pod, {"containers"});
  if (containers == nullptr || containers->items.empty())
    return Fail(At(pod, "there are no containers"));
  for (const YamlNode& container : containers->items) {
    const YamlNode* name = Find(container, {"name"});
    if (!container_name.empty() ? name != nullptr && name->text == container_name
                                : HasGpus(container))
      return &container;
  }
  return &containers->items.front();
}

Status TakeProgram(const YamlNode& container, const PodVariables& variables, Document& document) {
  std::vector<std::string> words;
  for (const std::string_view key : {"command", "args"}) {
    const YamlNode* list = Find(container, {key});
    if (key == "command" && (list == nullptr || list->items.empty()))
      return Fail(At(container,
                     "the container has no command: the program of its image is not known here"));
    if (list == nullptr) continue;
    for (const YamlNode& word : list->items) {
      if (!word.IsScalar()) continue;
      document.taken.Use(word);
      words.push_back(variables.Expanded(word));
    }
  }
  if (words.empty()) return Fail(At(container, "its command is not a list of texts"));
  Put(document.draft, {"run"}, TextList(variables.WithVariables(std::move(words))));
  return Ok();
}

void TakeDirectory(const YamlNode& directory, Document& document) {
  if (const auto fault = PathFault(directory.text))
    return document.Note(directory, "workingDir: " + directory.text, *fault);
  Put(document.draft, {"workdir"}, Text(directory.text));
}

}  // namespace

Status TakePod(const Workload& workload, Document& document) {
  const YamlNode none;  // stands for the pod of a kind that has none
  const YamlNode& pod = workload.pod == nullptr ? none : *workload.pod;
  PodGpuHints hints;
  TakeTimes(pod, workload, document);
  TakePlace(pod, hints, document);
  const std::string container_name = ReadAnnotations(workload.pod_metadata, hints, document);
  const YamlNode* container = GP_TRY(FindContainer(pod, workload, container_name));
  document.taken.TakeText(*container, {"name"});
  PodVariables variables(workload, document);
  variables.Take(*container);
  GP_CHECK_OK(TakeProgram(*container, variables, document));
  TakeResources(*container, workload, hints, document);
  TakeSharedMemory(*container, pod, document);
  if (const YamlNode* directory = document.taken.TakeText(*container, {"workingDir"}))
    TakeDirectory(*directory, document);
  return Ok();
}

}  // namespace gp
