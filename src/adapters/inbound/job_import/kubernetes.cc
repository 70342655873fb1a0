#include "adapters/inbound/job_import/kubernetes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "adapters/inbound/job_file/check_text.h"
#include "adapters/inbound/job_file/job_name.h"
#include "adapters/inbound/job_import/draft.h"
#include "adapters/inbound/job_import/quantity.h"
#include "adapters/inbound/job_import/taken.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr int64_t kBackoffLimit = 6;  // of Kubernetes, where a Job says none
constexpr std::string_view kGpus = "nvidia.com/gpu";
constexpr std::string_view kMigSlice = "nvidia.com/mig-";
constexpr std::string_view kProduct = "nvidia.com/gpu.product";
constexpr std::string_view kQueueName = "kueue.x-k8s.io/queue-name";

bool IsName(std::string_view text) { return !text.empty() && JobNameFromPath(text) == text; }

// "H100" of "NVIDIA-H100-80GB-HBM3": its first word with a digit, as dashes there stand for spaces too.
std::string ModelOf(const std::string& product) {
  for (const std::string& word : Split(product, '-')) {
    if (word.find_first_of("0123456789") != std::string::npos) return word;
  }
  return product;
}

std::string HintFor(const std::string& path) {
  constexpr std::pair<std::string_view, std::string_view> kHints[] = {
      {"image", "images of containers are not supported yet: the program is run on the node itself"},
      {"tolerations", "say node_labels: for the nodes that are meant"},
      {"affinity", "say node_labels: and topology:"},
      {"volumes", "paths of the node are there as they are; nothing is mounted"},
      {"volumeMounts", "paths of the node are there as they are; nothing is mounted"},
      {"ttlSecondsAfterFinished", "a job that is over is remembered for the controller's own time"},
      {"annotations", "say labels:"},
      {"envFrom", "name each variable under env:"},
      {"initContainers", "do it first in run:"},
      {"serviceAccountName", "a job runs as the user who submits it"},
      {"securityContext", "a job runs as the user who submits it"},
      {"suspend", "gpu-platform jobs hold JOB"},
      {"schedulerName", "there is one scheduler"},
      {"subdomain", "GP_MASTER_ADDR names the node of rank 0"},
  };
  const std::string last = path.substr(path.rfind('.') + 1);
  for (const auto& [key, hint] : kHints) {
    if (last == key || last.starts_with(std::string(key) + "[")) return std::string(hint);
  }
  return "has no counterpart";
}

class DocumentImport {
 public:
  explicit DocumentImport(const YamlNode& document) : document_(document), taken_(document) {}

  // Null: the document is no job, which `notes` tells.
  Result<std::optional<std::string>> Do(const std::string& fallback_name, std::vector<ImportNote>& notes) {
    const std::string* kind = taken_.TakeText({"kind"});
    taken_.Take({"apiVersion"});
    const bool is_job = kind != nullptr && *kind == "Job";
    if (!is_job && (kind == nullptr || *kind != "Pod")) {
      notes.push_back({document_.place.line, kind == nullptr ? "a document without kind" : "kind: " + Printable(*kind, 60), "is neither Job nor Pod"});
      return std::nullopt;
    }
    const YamlNode* pod = is_job ? taken_.Take({"spec", "template", "spec"}) : taken_.Take({"spec"});
    if (pod == nullptr) return Fail(InvalidArgument(At(document_) + (is_job ? "spec.template.spec" : "spec") + " is missing"));
    TakeMetadata(fallback_name);
    if (is_job) TakeJob();
    TakePod(*pod);
    GP_CHECK_OK(TakeContainer(*pod));
    taken_.ForEachLeft([&](const std::string& path, int line) { notes_.push_back({line, Printable(path, 120), HintFor(path)}); });
    std::ranges::move(notes_, std::back_inserter(notes));
    return std::optional(ToYaml(draft_));
  }

 private:
  static std::string At(const YamlNode& node) { return "line " + std::to_string(node.place.line) + ": "; }

  void Note(const YamlNode& node, const std::string& what, const std::string& why) { notes_.push_back({node.place.line, Printable(what, 100), why}); }

  void TakeMetadata(const std::string& fallback_name) {
    std::string name = fallback_name;
    if (const std::string* generated = taken_.TakeText({"metadata", "generateName"})) name = *generated;
    if (const std::string* given = taken_.TakeText({"metadata", "name"})) name = *given;
    Put(draft_, {"name"}, Text(JobNameFromPath(name)));
    if (const YamlNode* space = taken_.Take({"metadata", "namespace"}); space != nullptr && space->text != "default") {
      if (IsName(space->text)) {
        Put(draft_, {"project"}, Text(space->text));
      } else {
        Note(*space, "namespace: " + space->text, "a project's name has letters, digits, _ and -");
      }
    }
    const YamlNode* labels = taken_.Take({"metadata", "labels"});
    if (labels == nullptr) return;
    for (const YamlEntry& label : labels->entries) {
      if (!label.value.IsScalar()) continue;
      taken_.Use(label.value);
      if (label.key == kQueueName) {
        Put(draft_, {"queue"}, Text(label.value.text));
      } else {
        Put(draft_, {"labels", label.key}, Text(label.value.text));
      }
    }
  }

  std::optional<int64_t> NumberAt(std::initializer_list<std::string_view> path) { return NumberOf(taken_.Take(path)); }

  std::optional<int64_t> NumberOf(const YamlNode* node) {
    if (node == nullptr) return std::nullopt;
    const auto number = ParseCount(node->text);
    if (!number) Note(*node, node->text, "is not read: a number");
    return number ? std::optional(*number) : std::nullopt;
  }

  void TakeJob() {
    const YamlNode* mode = taken_.Take({"spec", "completionMode"});
    const bool is_indexed = mode != nullptr && mode->text == "Indexed";
    const YamlNode* many = taken_.Take({"spec", "completions"});
    const int64_t parallelism = NumberAt({"spec", "parallelism"}).value_or(1);
    const int64_t completions = NumberAt({"spec", "completions"}).value_or(parallelism);
    if (is_indexed && completions > 1 && completions == parallelism) {
      Put(draft_, {"nodes"}, Plain(std::to_string(completions)));
      index_name_ = "GP_NODE_RANK";
      Note(*(many != nullptr ? many : mode), "completions: " + std::to_string(completions), "is one job on so many nodes, all together or none; for jobs that do not need each other say array: in place of nodes:");
    } else if (completions > 1) {
      Put(draft_, {"array", "count"}, Plain(std::to_string(completions)));
      if (parallelism < completions) Put(draft_, {"array", "max_parallel"}, Plain(std::to_string(parallelism)));
      index_name_ = "GP_ARRAY_INDEX";
    }
    Put(draft_, {"retry", "max"}, Plain(std::to_string(NumberAt({"spec", "backoffLimit"}).value_or(kBackoffLimit))));
    if (const auto seconds = NumberAt({"spec", "activeDeadlineSeconds"})) Put(draft_, {"max_duration"}, Plain(std::to_string(*seconds) + "s"));
  }

  void TakePod(const YamlNode& pod) {
    taken_.TakeIn(pod, {"restartPolicy"});
    if (const auto grace = NumberOf(taken_.TakeIn(pod, {"terminationGracePeriodSeconds"}))) Put(draft_, {"checkpoint", "grace"}, Plain(std::to_string(*grace) + "s"));
    if (const YamlNode* priority = taken_.TakeIn(pod, {"priorityClassName"})) TakePriority(*priority);
    const YamlNode* selector = taken_.TakeIn(pod, {"nodeSelector"});
    if (selector == nullptr) return;
    for (const YamlEntry& label : selector->entries) {
      if (!label.value.IsScalar()) continue;
      taken_.Use(label.value);
      if (label.key == kProduct) {
        model_ = ModelOf(label.value.text);
      } else {
        Put(draft_, {"node_labels", label.key}, Text(label.value.text));
      }
    }
  }

  void TakePriority(const YamlNode& name) {
    for (const std::string level : {"low", "medium", "high"}) {
      if (name.text == level || name.text.starts_with(level + "-") || name.text.ends_with("-" + level)) return Put(draft_, {"priority"}, Text(level));
    }
    Note(name, "priorityClassName: " + name.text, "say priority: low, medium, high or 0 to 1000");
  }

  Status TakeContainer(const YamlNode& pod) {
    const YamlNode* containers = taken_.TakeIn(pod, {"containers"});
    if (containers == nullptr || containers->items.empty()) return Fail(InvalidArgument(At(pod) + "there are no containers"));
    const YamlNode& container = containers->items.front();
    taken_.TakeIn(container, {"name"});
    TakeEnvironment(container);
    GP_CHECK_OK(TakeProgram(container));
    TakeResources(container);
    TakeSharedMemory(pod, container);
    if (const YamlNode* directory = taken_.TakeIn(container, {"workingDir"})) Put(draft_, {"workdir"}, Text(directory->text));
    return Ok();
  }

  void TakeEnvironment(const YamlNode& container) {
    const YamlNode* variables = taken_.TakeIn(container, {"env"});
    if (variables == nullptr) return;
    for (const YamlNode& variable : variables->items) {
      const YamlNode* name = taken_.TakeIn(variable, {"name"});
      if (name == nullptr) continue;
      names_.insert(name->text);
      if (const YamlNode* value = taken_.TakeIn(variable, {"value"})) {
        Put(draft_, {"env", name->text}, Text(value->text));
        continue;
      }
      taken_.Use(variable);
      Put(draft_, {"env", name->text}, YamlNode{});
      Note(variable, "env " + name->text, "must be given at the submit: --env " + name->text + "=…");
    }
  }

  Status TakeProgram(const YamlNode& container) {
    std::vector<std::string> words;
    for (const std::string_view key : {"command", "args"}) {
      const YamlNode* list = taken_.TakeIn(container, {key});
      if (key == "command" && (list == nullptr || list->items.empty())) return Fail(InvalidArgument(At(container) + "the container has no command: what its image would run is not known here"));
      if (list == nullptr) continue;
      for (const YamlNode& word : list->items) {
        taken_.Use(word);
        words.push_back(word.text);
        NoteReferences(word);
      }
    }
    Put(draft_, {"run"}, TextList(std::move(words)));
    return Ok();
  }

  void NoteReferences(const YamlNode& word) {
    for (const std::string& name : names_) {
      if (word.text.find("$(" + name + ")") != std::string::npos) Note(word, "$(" + name + ")", "is not replaced: let a shell read $" + name);
    }
    if (word.text.find("JOB_COMPLETION_INDEX") != std::string::npos) Note(word, "JOB_COMPLETION_INDEX", "is not set here: this is $" + index_name_);
  }

  // Of a name the limit, or else the request.
  std::map<std::string, const YamlNode*> Demands(const YamlNode& container) {
    std::map<std::string, const YamlNode*> demands;
    for (const std::string_view part : {"requests", "limits"}) {
      const YamlNode* amounts = taken_.TakeIn(container, {"resources", part});
      if (amounts == nullptr) continue;
      for (const YamlEntry& amount : amounts->entries) {
        if (amount.value.IsScalar()) demands[amount.key] = &amount.value;
      }
    }
    return demands;
  }

  void TakeResources(const YamlNode& container) {
    bool has_gpus = false;
    for (const auto& [name, amount] : Demands(container)) {
      if (name == kGpus || name.starts_with(kMigSlice)) {
        has_gpus = TakeGpus(name, *amount) || has_gpus;
      } else if (name == "cpu") {
        const auto cores = QuantityCores(amount->text);
        PutAmount("cpus", cores ? std::optional(std::to_string(std::max<int64_t>(*cores, 1))) : std::nullopt, *amount);
      } else if (name == "memory") {
        PutAmount("memory", SizeText(QuantityBytes(amount->text)), *amount);
      } else {
        Note(*amount, name + ": " + amount->text, "has no counterpart");
      }
      UseDemand(container, name);
    }
    if (!has_gpus) Put(draft_, {"resources", "gpus"}, Plain("0"));
  }

  void UseDemand(const YamlNode& container, const std::string& name) {
    for (const std::string_view part : {"requests", "limits"}) taken_.TakeIn(container, {"resources", part, name});
  }

  bool TakeGpus(const std::string& name, const YamlNode& amount) {
    const auto count = ParseCount(amount.text);
    if (!count) {
      Note(amount, name + ": " + amount.text, "is not read: a number");
      return false;
    }
    Put(draft_, {"resources", "gpus", "count"}, Plain(std::to_string(*count)));
    if (!model_.empty()) Put(draft_, {"resources", "gpus", "model"}, Text(model_));
    if (name == kGpus) return true;
    // "nvidia.com/mig-1g.10gb"
    const size_t dot = name.find("g.");
    const std::string memory = dot == std::string::npos ? "" : name.substr(dot + 2, name.find_first_not_of("0123456789", dot + 2) - dot - 2);
    if (memory.empty()) {
      Note(amount, name, "say resources: {gpus: {isolation: mig, memory: …}}");
    } else {
      Put(draft_, {"resources", "gpus", "memory"}, Plain(memory + "GB"));
    }
    Put(draft_, {"resources", "gpus", "isolation"}, Text("mig"));
    return true;
  }

  void PutAmount(const char* resource, const std::optional<std::string>& amount, const YamlNode& written) {
    if (amount) return Put(draft_, {"resources", resource}, Plain(*amount));
    Note(written, std::string(resource) + ": " + written.text, "is not read");
  }

  static std::optional<std::string> SizeText(std::optional<int64_t> bytes) {
    constexpr int64_t kGibi = int64_t{1} << 30, kMebi = int64_t{1} << 20;
    if (!bytes) return std::nullopt;
    if (*bytes % kGibi == 0) return std::to_string(*bytes / kGibi) + "GiB";
    if (*bytes % kMebi == 0) return std::to_string(*bytes / kMebi) + "MiB";
    return std::to_string((*bytes + 1'023) / 1'024) + "KiB";
  }

  // A volume in memory that is mounted at /dev/shm.
  void TakeSharedMemory(const YamlNode& pod, const YamlNode& container) {
    const YamlNode* mounts = taken_.TakeIn(container, {"volumeMounts"});
    const YamlNode* volumes = taken_.TakeIn(pod, {"volumes"});
    if (mounts == nullptr || volumes == nullptr) return;
    for (const YamlNode& mount : mounts->items) {
      const YamlEntry *path = mount.Find("mountPath"), *name = mount.Find("name");
      if (path == nullptr || name == nullptr || path->value.text != "/dev/shm") continue;
      for (const YamlNode& volume : volumes->items) {
        const YamlEntry *own = volume.Find("name"), *empty = volume.Find("emptyDir");
        if (own == nullptr || empty == nullptr || own->value.text != name->value.text) continue;
        taken_.Use(mount);
        taken_.Use(volume);
        const YamlEntry* limit = empty->value.kind == YamlNode::Kind::kMap ? empty->value.Find("sizeLimit") : nullptr;
        if (limit == nullptr) continue;  // as much as the host memory, as it is here
        PutAmount("shm", SizeText(QuantityBytes(limit->value.text)), limit->value);
      }
    }
  }

  const YamlNode& document_;
  Taken taken_;
  YamlNode draft_;
  std::vector<ImportNote> notes_;
  std::set<std::string> names_;  // of variables
  std::string model_;
  std::string index_name_ = "0";
};

}  // namespace

Result<ImportedJob> ImportKubernetes(std::string_view file_name, std::string_view text) {
  const SourceText source{std::string(file_name), std::string(text)};
  Report report;
  std::vector<YamlNode> documents;
  if (CheckText(source, report)) documents = ReadYaml(source, source.text, report);
  if (!report.empty()) {
    const Diagnostic first = report.Take().front();
    return Fail(InvalidArgument("line " + std::to_string(first.line) + ": " + first.message));
  }
  ImportedJob imported;
  for (const YamlNode& document : documents) {
    const auto job = GP_TRY(DocumentImport(document).Do(JobNameFromPath(file_name), imported.notes));
    if (job) imported.text += (imported.text.empty() ? "" : "---\n") + *job;
  }
  if (imported.text.empty()) return Fail(InvalidArgument("there is neither a Job nor a Pod of Kubernetes in it"));
  std::ranges::stable_sort(imported.notes, {}, &ImportNote::line);
  return imported;
}

}  // namespace gp
