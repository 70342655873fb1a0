#include "adapters/inbound/job_import/kubernetes/pod.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "adapters/inbound/job_import/kubernetes/pod_gpus.h"
#include "adapters/inbound/job_import/kubernetes/quantity.h"
#include "base/text.h"
#include "domain/model/job_spec.h"
#include "domain/model/text_rules.h"

namespace gp {
namespace {

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

// The counterpart of a variable that the cluster fills in; empty: there is none.
std::string FieldText(std::string_view path, const std::string& index) {
  if (path.find("job-completion-index") != std::string_view::npos) return "$" + index;
  if (path == "metadata.name") return "$GP_JOB_ID";
  if (path == "spec.nodeName")
    return "$(echo \"$GP_NODE_LIST\" | cut -d , -f $((GP_NODE_RANK + 1)))";
  return "";
}

// Imports one pod into the draft of a job file.
class PodReader {
 public:
  PodReader(const Workload& workload, Document& document)
      : workload_(workload),
        document_(document),
        pod_(workload.pod == nullptr ? none_ : *workload.pod) {}

  Status Take() {
    TakeTimes();
    TakePlace();
    ReadAnnotations();
    const YamlNode* container = GP_TRY(FindContainer());
    document_.taken.TakeText(*container, {"name"});
    TakeEnvironment(*container);
    GP_CHECK_OK(TakeProgram(*container));
    TakeResources(*container);
    TakeSharedMemory(*container);
    if (const YamlNode* directory = document_.taken.TakeText(*container, {"workingDir"}))
      TakeDirectory(*directory);
    return Ok();
  }

 private:
  static constexpr char kBegin = '\1', kEnd = '\2';

  void PutAmount(const char* resource, const std::optional<std::string>& amount,
                 const YamlNode& written) {
    if (amount) return Put(document_.draft, {"resources", resource}, Plain(*amount));
    document_.Note(written, std::string(resource) + ": " + written.text, "cannot be read");
  }

  // The limit of a pod applies to each attempt, the limit of a workload to all attempts together.
  void TakeTimes() {
    const YamlNode* restart = document_.taken.TakeText(pod_, {"restartPolicy"});
    const std::string policy = restart == nullptr ? "Always" : restart->text;
    if (workload_.has_restart_policy && workload_.retries == 0 && policy != "Never")
      document_.Note(restart == nullptr ? pod_ : *restart, "restartPolicy: " + policy,
                     "a job that fails is not restarted; set retry: {max: …}");
    if (const auto grace = document_.NumberAt(pod_, {"terminationGracePeriodSeconds"}))
      Put(document_.draft, {"checkpoint", "grace"}, Plain(std::to_string(*grace) + "s"));
    auto limit = document_.NumberAt(pod_, {"activeDeadlineSeconds"});
    if (const YamlNode* deadline = workload_.deadline) {
      document_.taken.Use(*deadline);
      const auto total = ParseCount(deadline->text);
      if (!total) {
        document_.Note(*deadline, "activeDeadlineSeconds: " + deadline->text,
                       "cannot be read: a number is expected");
      } else {
        const int64_t of_attempt = std::min(limit.value_or(*total), *total);
        limit = of_attempt;
        const int64_t attempts = workload_.retries + 1;
        if (attempts > *total || of_attempt > *total / attempts) {
          document_.Note(*deadline, "activeDeadlineSeconds: " + deadline->text,
                         "limits all attempts together there and each attempt here, of which there "
                         "may be " +
                             std::to_string(attempts) + ": retry: {max: 0} keeps the limit");
        }
        if (workload_.index == "GP_ARRAY_INDEX")
          document_.Note(*deadline, "activeDeadlineSeconds: " + deadline->text,
                         "limits each job of the array here, not all together");
      }
    }
    if (limit) Put(document_.draft, {"time_limit"}, Plain(std::to_string(*limit) + "s"));
  }

  void TakePlace() {
    if (const YamlNode* priority = document_.taken.TakeText(pod_, {"priorityClassName"}))
      document_.PutPriority(*priority);
    document_.ForEachText(
        Find(pod_, {"nodeSelector"}), [&](const std::string& key, const YamlNode& value) {
          if (key.starts_with("kubernetes.io/") || key.starts_with("node.kubernetes.io/"))
            return false;
          if (IsProductLabel(key)) {
            product_ = &value;
            product_label_ = key;
            return true;
          }
          if (LabelNameFault(key) || LabelValueFault(value.text)) return false;
          Put(document_.draft, {"node_labels", key}, Text(value.text));
          return true;
        });
  }

  // Annotations of the template, or of the pod itself; some tools use labels for the same.
  void ReadAnnotations() {
    const YamlNode* own = Find(document_.root, {"metadata"});
    for (const YamlNode* metadata : {workload_.pod_metadata, own}) {
      if (metadata == nullptr) continue;
      for (const char* part : {"annotations", "labels"}) {
        document_.ForEachText(Find(*metadata, {part}),
                              [&](const std::string& key, const YamlNode& value) {
                                if (key == "gpu-fraction-container-name")
                                  container_name_ = value.text;
                                if (IsGpuAnnotation(key)) annotations_.try_emplace(key, &value);
                                return IsGpuAnnotation(key) || key == "gpu-fraction-container-name";
                              });
      }
    }
  }

  static bool HasGpus(const YamlNode& container) {
    for (const std::string_view part : {"limits", "requests"}) {
      const YamlNode* amounts = Find(container, {"resources", part});
      if (amounts == nullptr) continue;
      if (std::ranges::any_of(amounts->entries,
                              [](const YamlEntry& entry) { return IsGpuResource(entry.key); }))
        return true;
    }
    return Find(container, {"resources", "claims"}) != nullptr;
  }

  // The container that has the GPUs, or else the first one.
  Result<const YamlNode*> FindContainer() {
    if (workload_.container != nullptr) return workload_.container;
    const YamlNode* containers = Find(pod_, {"containers"});
    if (containers == nullptr || containers->items.empty())
      return Fail(At(pod_, "there are no containers"));
    for (const YamlNode& container : containers->items) {
      const YamlNode* name = Find(container, {"name"});
      if (!container_name_.empty() ? name != nullptr && name->text == container_name_
                                   : HasGpus(container))
        return &container;
    }
    return &containers->items.front();
  }

  void TakeEnvironment(const YamlNode& container) {
    const YamlNode* variables = Find(container, {"env"});
    if (variables == nullptr) return;
    for (const YamlNode& variable : variables->items) {
      const YamlNode* name = document_.taken.TakeText(variable, {"name"});
      if (name == nullptr) continue;
      const YamlNode* value = document_.taken.TakeText(variable, {"value"});
      const YamlNode* source = Find(variable, {"valueFrom"});
      if (source != nullptr) document_.taken.Use(*source);
      if (const auto refusal = VariableRefusal(name->text)) {
        unknown_.insert(name->text);
        document_.Note(variable, "env " + name->text, *refusal);
        continue;
      }
      const YamlNode* field =
          source == nullptr ? nullptr : Find(*source, {"fieldRef", "fieldPath"});
      const std::string text = field == nullptr ? "" : FieldText(field->text, workload_.index);
      if (!text.empty()) {
        variables_.emplace_back(name->text, text);
      } else if (value != nullptr || source == nullptr) {
        const std::string expanded = value == nullptr ? "" : Expanded(*value);
        if (HasVariables(expanded)) {
          variables_.emplace_back(name->text, ShellText(expanded));
          continue;
        }
        literals_[name->text] = expanded;
        Put(document_.draft, {"env", name->text}, Text(expanded));
      } else {
        unknown_.insert(name->text);
        Put(document_.draft, {"env", name->text}, YamlNode{});
        document_.Note(variable, "env " + name->text,
                       "must be given at submit: --env " + Printable(name->text, 60) + "=…");
      }
    }
  }

  Status TakeProgram(const YamlNode& container) {
    std::vector<std::string> words;
    for (const std::string_view key : {"command", "args"}) {
      const YamlNode* list = Find(container, {key});
      if (key == "command" && (list == nullptr || list->items.empty()))
        return Fail(At(container,
                       "the container has no command: the program of its image is not known here"));
      if (list == nullptr) continue;
      for (const YamlNode& word : list->items) {
        if (!word.IsScalar()) continue;
        document_.taken.Use(word);
        words.push_back(Expanded(word));
      }
    }
    if (words.empty()) return Fail(At(container, "its command is not a list of texts"));
    Put(document_.draft, {"run"}, TextList(WithVariables(std::move(words))));
    return Ok();
  }

  // Adds a shell that sets the variables whose values are only known when the job runs, and then
  // executes the program.
  std::vector<std::string> WithVariables(std::vector<std::string> words) const {
    std::vector<std::pair<std::string, std::string>> variables = workload_.variables;
    variables.insert(variables.end(), variables_.begin(), variables_.end());
    for (const auto& named : workload_.named_variables) {
      if (std::ranges::any_of(words, [&](const std::string& word) {
            return word.find(named.first) != std::string::npos;
          }))
        variables.push_back(named);
    }
    const bool has_variables = std::ranges::any_of(words, HasVariables);
    if (variables.empty() && !has_variables) return words;
    std::string script = variables.empty() ? "" : "export";
    for (const auto& [name, value] : variables) script += " " + name + "=\"" + value + "\"";
    if (!variables.empty()) script += "; ";
    if (has_variables) script += "set --";
    for (size_t i = 0; has_variables && i < words.size(); ++i) {
      const std::string text =
          HasVariables(words[i]) ? ShellText(words[i]) : "${" + std::to_string(i + 1) + "}";
      script += " \"" + text + "\"";
      if (HasVariables(words[i])) words[i] = "-";  // placeholder
    }
    if (has_variables) script += "; ";
    std::vector<std::string> all = {"/bin/sh", "-c", script + "exec \"$@\"", "sh"};
    std::ranges::move(words, std::back_inserter(all));
    return all;
  }

  // Expands as Kubernetes does: "$(NAME)" is the value of a variable of the container that is
  // defined before, "$$" is "$", and any other "$(" stays.  The name of a variable that is only
  // known when the job runs is put between kBegin and kEnd.
  std::string Expanded(const YamlNode& word) const {
    const std::string& text = word.text;
    if (text.find(kBegin) != std::string::npos || text.find(kEnd) != std::string::npos) return text;
    std::string expanded;
    for (size_t at = 0; at < text.size();) {
      const bool is_escaped = text.compare(at, 2, "$$") == 0;
      const size_t end = text.compare(at, 2, "$(") == 0 ? text.find(')', at) : std::string::npos;
      const std::string name = end == std::string::npos ? "" : text.substr(at + 2, end - at - 2);
      if (const auto literal = literals_.find(name); literal != literals_.end()) {
        expanded += literal->second;
        at = end + 1;
      } else if (IsKnownLater(name)) {
        expanded += kBegin + name + kEnd;
        at = end + 1;
      } else {
        expanded += text[at];
        at += is_escaped ? 2 : 1;
      }
      if (expanded.size() > kArgumentBytesMax) return text;
    }
    return expanded;
  }

  // False for a name that a shell could not read: its variable has a note.
  bool IsKnownLater(const std::string& name) const {
    if (VariableNameFault(name)) return false;
    const auto has = [&](const auto& variables) {
      return std::ranges::any_of(variables,
                                 [&](const auto& variable) { return variable.first == name; });
    };
    return unknown_.contains(name) || has(variables_) || has(workload_.variables) ||
           has(workload_.named_variables);
  }

  static bool HasVariables(const std::string& expanded) {
    return expanded.find(kBegin) != std::string::npos;
  }

  // The text for use within double quotes of a shell.
  static std::string ShellText(const std::string& expanded) {
    std::string text;
    for (const char c : expanded) {
      if (c == kBegin) {
        text += "${";
      } else if (c == kEnd) {
        text += '}';
      } else {
        if (std::string_view("\\\"$`").contains(c)) text += '\\';
        text += c;
      }
    }
    return text;
  }

  // The limit of each resource, or else its request; a request that differs from the limit has a
  // note.
  NamedTexts Demands(const YamlNode& container) {
    NamedTexts demands;
    const YamlNode* resources =
        Find(container, {workload_.container == nullptr ? "resources" : "resourcesPerNode"});
    if (resources == nullptr) return demands;
    for (const std::string_view part : {"limits", "requests"}) {
      document_.ForEachText(
          Find(*resources, {part}), [&](const std::string& name, const YamlNode& amount) {
            const auto [demand, is_new] = demands.try_emplace(name, &amount);
            if (!is_new && demand->second->text != amount.text)
              document_.Note(amount, "requests: {" + name + ": " + amount.text + "}",
                             "the limit is used: a job gets what it requests, and no more");
            return true;
          });
    }
    return demands;
  }

  void TakeResources(const YamlNode& container) {
    const NamedTexts demands = Demands(container);
    for (const auto& [name, amount] : demands) {
      if (name == "cpu") {
        const auto cores = QuantityCores(amount->text);
        PutAmount(
            "cpus",
            cores ? std::optional(std::to_string(std::max<int64_t>(*cores, 1))) : std::nullopt,
            *amount);
      } else if (name == "memory") {
        PutAmount("memory", SizeText(QuantityBytes(amount->text)), *amount);
      } else if (!IsGpuResource(name)) {
        document_.Note(*amount, name + ": " + amount->text, "has no counterpart");
      }
    }
    GpuDemand gpus = ReadGpuDemand(demands, annotations_, document_);
    TakeClaims(container, gpus);
    TakeProduct(gpus);
    PutGpus(gpus, document_.draft);
  }

  // The request of a claim is in another document, or in the cluster.
  void TakeClaims(const YamlNode& container, GpuDemand& gpus) {
    const YamlNode* claims = Find(container, {"resources", "claims"});
    if (claims == nullptr) return;
    document_.taken.Use(*claims);
    if (const YamlNode* of_pod = Find(pod_, {"resourceClaims"})) document_.taken.Use(*of_pod);
    const std::string count = std::to_string(std::max<size_t>(claims->items.size(), 1));
    if (gpus.count == 0)
      gpus.count = static_cast<int64_t>(std::max<size_t>(claims->items.size(), 1));
    document_.Note(*claims, "resources.claims",
                   "the request of a claim is not read; GPUs used here: " + count +
                       "; set resources: {gpus: …}");
  }

  void TakeProduct(GpuDemand& gpus) {
    if (product_ == nullptr) return;
    const std::string written = product_label_ + ": " + product_->text;
    if (gpus.count == 0) return document_.Note(*product_, written, "the job requests no GPU");
    const NamedGpu gpu = ReadGpuName(product_->text);
    gpus.models = gpu.models;
    if (gpu.memory) gpus.memory_min = *gpu.memory;
    std::string why;
    // All GPUs of the node are divided in the same way: the count is one of instances.
    if (gpu.mig && gpus.mig.empty() && gpus.isolation.empty()) why = AddName(gpu, gpus);
    document_.Note(*product_, written, gpu.meaning + (why.empty() ? "" : "; " + why));
  }

  static std::optional<std::string> SizeText(std::optional<int64_t> bytes) {
    constexpr int64_t kGibi = int64_t{1} << 30, kMebi = int64_t{1} << 20;
    if (!bytes) return std::nullopt;
    if (*bytes % kGibi == 0) return std::to_string(*bytes / kGibi) + "GiB";
    if (*bytes % kMebi == 0) return std::to_string(*bytes / kMebi) + "MiB";
    return std::to_string((*bytes + 1'023) / 1'024) + "KiB";
  }

  void TakeDirectory(const YamlNode& directory) {
    if (const auto fault = PathFault(directory.text))
      return document_.Note(directory, "workingDir: " + directory.text, *fault);
    Put(document_.draft, {"workdir"}, Text(directory.text));
  }

  // The size of a memory volume that is mounted at /dev/shm.
  void TakeSharedMemory(const YamlNode& container) {
    const YamlNode *mounts = Find(container, {"volumeMounts"}), *volumes = Find(pod_, {"volumes"});
    if (mounts == nullptr || volumes == nullptr) return;
    for (const YamlNode& mount : mounts->items) {
      const YamlNode *path = Find(mount, {"mountPath"}), *name = Find(mount, {"name"});
      if (path == nullptr || name == nullptr || path->text != "/dev/shm") continue;
      for (const YamlNode& volume : volumes->items) {
        const YamlNode *own = Find(volume, {"name"}),
                       *medium = Find(volume, {"emptyDir", "medium"});
        if (own == nullptr || own->text != name->text || medium == nullptr ||
            medium->text != "Memory")
          continue;
        for (const YamlNode* used : {path, name, own, medium}) document_.taken.Use(*used);
        const YamlNode* limit = document_.taken.TakeText(volume, {"emptyDir", "sizeLimit"});
        // The default is the same as here: as much as the host memory.
        if (limit != nullptr) PutAmount("shm", SizeText(QuantityBytes(limit->text)), *limit);
      }
    }
  }

  const Workload& workload_;
  Document& document_;
  const YamlNode none_;  // stands for the pod of a kind that has none
  const YamlNode& pod_;
  NamedTexts annotations_;
  std::string container_name_;
  const YamlNode* product_ = nullptr;  // the label value that names the GPU model
  std::string product_label_;
  // Variables whose values are known when the job runs.
  std::vector<std::pair<std::string, std::string>> variables_;
  std::map<std::string, std::string> literals_;  // variables with given values
  std::set<std::string> unknown_;                // variables without a known value
};

}  // namespace

Status TakePod(const Workload& workload, Document& document) {
  return PodReader(workload, document).Take();
}

}  // namespace gp
