#include "adapters/inbound/job_import/kubernetes.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "adapters/inbound/job_file/check_text.h"
#include "adapters/inbound/job_file/job_name.h"
#include "adapters/inbound/job_import/draft.h"
#include "adapters/inbound/job_import/gpu_names.h"
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

std::string HintFor(const std::string& path) {
  constexpr std::pair<std::string_view, std::string_view> kHints[] = {
      {"image", "images of containers are not supported yet: the program is run on the node itself"},
      {"tolerations", "say node_labels: for the nodes that are meant"},
      {"affinity", "say node_labels: and topology:"},
      {"nodeSelector", "say node_labels: with labels that nodes here have"},
      {"io/hostname", "say node_labels: with labels that nodes here have"},
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
    const YamlNode* kind = taken_.TakeText(document_, {"kind"});
    is_job_ = kind != nullptr && kind->text == "Job";
    if (!is_job_ && (kind == nullptr || kind->text != "Pod")) {
      notes.push_back({document_.place.line, kind == nullptr ? "a document without kind" : "kind: " + Printable(kind->text, 60), "is neither Job nor Pod; take the ones that are in it out, as documents of their own"});
      return std::nullopt;
    }
    const YamlNode* version = Find(document_, {"apiVersion"});
    if (version != nullptr && version->text == (is_job_ ? "batch/v1" : "v1")) taken_.Use(*version);
    const YamlNode* pod = is_job_ ? Find(document_, {"spec", "template", "spec"}) : Find(document_, {"spec"});
    if (pod == nullptr) return Fail(InvalidArgument(At(document_) + (is_job_ ? "spec.template.spec" : "spec") + " is missing"));
    TakeMetadata(fallback_name);
    if (is_job_) GP_CHECK_OK(TakeJob());
    TakePod(*pod);
    GP_CHECK_OK(TakeContainer(*pod));
    taken_.ForEachLeft([&](const std::string& path, int line) { notes_.push_back({line, Printable(path, 120), HintFor(path)}); });
    std::ranges::move(notes_, std::back_inserter(notes));
    return std::optional(ToYaml(draft_));
  }

 private:
  static std::string At(const YamlNode& node) { return "line " + std::to_string(node.place.line) + ": "; }

  void Note(const YamlNode& node, const std::string& what, const std::string& why) { notes_.push_back({node.place.line, Printable(what, 100), Printable(why)}); }

  // Labels whose values are texts: visit(key, value) says whether it took one.
  template <typename Visit>
  void ForEachLabel(const YamlNode* labels, Visit visit) {
    if (labels == nullptr || labels->kind != YamlNode::Kind::kMap) return;
    for (const YamlEntry& label : labels->entries) {
      if (label.value.IsScalar() && visit(label.key, label.value)) taken_.Use(label.value);
    }
  }

  void TakeMetadata(const std::string& fallback_name) {
    std::string name = fallback_name;
    const YamlNode* generated = taken_.TakeText(document_, {"metadata", "generateName"});
    const YamlNode* given = taken_.TakeText(document_, {"metadata", "name"});
    if (const YamlNode* written = given != nullptr ? given : generated) {
      name = JobNameFromPath(written->text);
      if (given != nullptr && name != given->text) Note(*given, "name: " + given->text, "is called " + name + " here");
    }
    Put(draft_, {"name"}, Text(JobNameFromPath(name)));
    if (const YamlNode* space = taken_.TakeText(document_, {"metadata", "namespace"}); space != nullptr && space->text != "default") {
      if (IsName(space->text)) {
        Put(draft_, {"project"}, Text(space->text));
      } else {
        Note(*space, "namespace: " + space->text, "a project's name has letters, digits, _ and -");
      }
    }
    ForEachLabel(Find(document_, {"metadata", "labels"}), [&](const std::string& key, const YamlNode& value) {
      if (key == kQueueName) {
        Put(draft_, {"queue"}, Text(value.text));
      } else {
        Put(draft_, {"labels", key}, Text(value.text));
      }
      return true;
    });
  }

  std::optional<int64_t> NumberAt(const YamlNode& map, std::initializer_list<std::string_view> path) {
    const YamlNode* node = taken_.TakeText(map, path);
    if (node == nullptr) return std::nullopt;
    const auto number = ParseCount(node->text);
    if (!number) Note(*node, std::string(*std::prev(path.end())) + ": " + node->text, "is not read: a number");
    return number ? std::optional(*number) : std::nullopt;
  }

  Status TakeJob() {
    const YamlNode* mode = taken_.TakeText(document_, {"spec", "completionMode"});
    const bool is_indexed = mode != nullptr && mode->text == "Indexed";
    const auto parallelism = NumberAt(document_, {"spec", "parallelism"}), completions = NumberAt(document_, {"spec", "completions"});
    if (parallelism == 0 || completions == 0) return Fail(InvalidArgument(At(document_) + "with parallelism or completions of 0 it runs nothing"));
    TakeManyPods(is_indexed, parallelism.value_or(1), completions);
    if (const YamlNode* suspended = Find(document_, {"spec", "suspend"}); suspended != nullptr && suspended->text == "false") taken_.Use(*suspended);
    const auto retries = NumberAt(document_, {"spec", "backoffLimit"});
    Put(draft_, {"retry", "max"}, Plain(std::to_string(retries.value_or(kBackoffLimit))));
    if (retries && index_name_ == "GP_ARRAY_INDEX") Note(*Find(document_, {"spec", "backoffLimit"}), "backoffLimit: " + std::to_string(*retries), "counts for each job of the array here, not for all together");
    if (const auto seconds = NumberAt(document_, {"spec", "activeDeadlineSeconds"})) Put(draft_, {"max_duration"}, Plain(std::to_string(*seconds) + "s"));
    return Ok();
  }

  void TakeManyPods(bool is_indexed, int64_t parallelism, std::optional<int64_t> completions) {
    const int64_t count = completions.value_or(parallelism);
    if (count <= 1) return;
    const YamlNode& place = *Find(document_, {"spec", completions ? "completions" : "parallelism"});
    if (is_indexed && completions == parallelism) {
      Put(draft_, {"nodes"}, Plain(std::to_string(count)));
      index_name_ = "GP_NODE_RANK";
      return Note(place, "completions: " + std::to_string(count), "is one job on so many nodes, all together or none; for jobs that do not need each other say array: in place of nodes:");
    }
    Put(draft_, {"array", "count"}, Plain(std::to_string(count)));
    if (parallelism < count) Put(draft_, {"array", "max_parallel"}, Plain(std::to_string(parallelism)));
    index_name_ = "GP_ARRAY_INDEX";
    if (!completions) Note(place, "parallelism: " + std::to_string(count), "is an array of so many jobs, and each is to succeed; of workers at one queue of work one would do");
  }

  void TakePod(const YamlNode& pod) {
    const YamlNode* restart = taken_.TakeText(pod, {"restartPolicy"});
    const std::string policy = restart == nullptr ? "Always" : restart->text;
    if (!is_job_ && policy != "Never") Note(restart == nullptr ? pod : *restart, "restartPolicy: " + policy, "a job that fails is not started again; say retry: {max: …}");
    if (const auto grace = NumberAt(pod, {"terminationGracePeriodSeconds"})) Put(draft_, {"checkpoint", "grace"}, Plain(std::to_string(*grace) + "s"));
    if (const auto seconds = NumberAt(pod, {"activeDeadlineSeconds"})) Put(draft_, {"max_duration"}, Plain(std::to_string(*seconds) + "s"));
    if (const YamlNode* priority = taken_.TakeText(pod, {"priorityClassName"})) TakePriority(*priority);
    ForEachLabel(Find(pod, {"nodeSelector"}), [&](const std::string& key, const YamlNode& value) {
      if (key.starts_with("kubernetes.io/") || key.starts_with("node.kubernetes.io/")) return false;
      if (key == kProduct) {
        product_ = &value;
      } else {
        Put(draft_, {"node_labels", key}, Text(value.text));
      }
      return true;
    });
  }

  void TakePriority(const YamlNode& name) {
    for (const std::string level : {"low", "medium", "high"}) {
      if (name.text == level || name.text.starts_with(level + "-") || name.text.ends_with("-" + level)) return Put(draft_, {"priority"}, Text(level));
    }
    Note(name, "priorityClassName: " + name.text, "say priority: low, medium, high or 0 to 1000");
  }

  Status TakeContainer(const YamlNode& pod) {
    const YamlNode* containers = Find(pod, {"containers"});
    if (containers == nullptr || containers->items.empty()) return Fail(InvalidArgument(At(pod) + "there are no containers"));
    const YamlNode& container = containers->items.front();
    taken_.TakeText(container, {"name"});
    TakeEnvironment(container);
    GP_CHECK_OK(TakeProgram(container));
    TakeResources(container);
    TakeSharedMemory(pod, container);
    if (const YamlNode* directory = taken_.TakeText(container, {"workingDir"})) Put(draft_, {"workdir"}, Text(directory->text));
    return Ok();
  }

  void TakeEnvironment(const YamlNode& container) {
    const YamlNode* variables = Find(container, {"env"});
    if (variables == nullptr) return;
    for (const YamlNode& variable : variables->items) {
      const YamlNode* name = taken_.TakeText(variable, {"name"});
      if (name == nullptr) continue;
      const YamlNode* value = taken_.TakeText(variable, {"value"});
      const YamlNode* source = Find(variable, {"valueFrom"});
      if (source != nullptr) taken_.Use(*source);
      if (value != nullptr) NoteReferences(*value);
      if (value != nullptr || source == nullptr) {
        Put(draft_, {"env", name->text}, Text(value == nullptr ? "" : value->text));
      } else {
        Put(draft_, {"env", name->text}, YamlNode{});
        Note(variable, "env " + name->text, "must be given at the submit: --env " + Printable(name->text, 60) + "=…");
      }
    }
  }

  Status TakeProgram(const YamlNode& container) {
    std::vector<std::string> words;
    for (const std::string_view key : {"command", "args"}) {
      const YamlNode* list = Find(container, {key});
      if (key == "command" && (list == nullptr || list->items.empty())) return Fail(InvalidArgument(At(container) + "the container has no command: what its image would run is not known here"));
      if (list == nullptr) continue;
      for (const YamlNode& word : list->items) {
        if (!word.IsScalar()) continue;
        taken_.Use(word);
        words.push_back(word.text);
        NoteReferences(word);
      }
    }
    if (words.empty()) return Fail(InvalidArgument(At(container) + "its command is no list of texts"));
    Put(draft_, {"run"}, TextList(std::move(words)));
    return Ok();
  }

  // Kubernetes puts the value of a variable for $(NAME); a shell runs what stands there.
  void NoteReferences(const YamlNode& word) {
    const size_t at = word.text.find("$(");
    if (at != std::string::npos) Note(word, word.text.substr(at, 40), "no $(NAME) is replaced here: let a shell read $NAME");
    if (word.text.find("JOB_COMPLETION_INDEX") != std::string::npos) Note(word, "JOB_COMPLETION_INDEX", "is not set here: this is $" + index_name_);
  }

  // Of a name the limit, or else the request; a request that is something else is told.
  std::map<std::string, const YamlNode*> Demands(const YamlNode& container) {
    std::map<std::string, const YamlNode*> demands;
    for (const std::string_view part : {"limits", "requests"}) {
      ForEachLabel(Find(container, {"resources", part}), [&](const std::string& name, const YamlNode& amount) {
        const auto [demand, is_new] = demands.try_emplace(name, &amount);
        if (!is_new && demand->second->text != amount.text) Note(amount, "requests: {" + name + ": " + amount.text + "}", "the limit counts: a job has what it asks for, and no more");
        return true;
      });
    }
    return demands;
  }

  void TakeResources(const YamlNode& container) {
    std::vector<std::pair<std::string, const YamlNode*>> gpus;
    for (const auto& [name, amount] : Demands(container)) {
      if (name == kGpus || name.starts_with(kMigSlice)) {
        gpus.emplace_back(name, amount);
      } else if (name == "cpu") {
        const auto cores = QuantityCores(amount->text);
        PutAmount("cpus", cores ? std::optional(std::to_string(std::max<int64_t>(*cores, 1))) : std::nullopt, *amount);
      } else if (name == "memory") {
        PutAmount("memory", SizeText(QuantityBytes(amount->text)), *amount);
      } else {
        Note(*amount, name + ": " + amount->text, "has no counterpart");
      }
    }
    Put(draft_, {"resources", "gpus", "count"}, Plain("0"));
    if (!gpus.empty()) TakeGpus(gpus.front().first, *gpus.front().second);
    for (size_t i = 1; i < gpus.size(); ++i) Note(*gpus[i].second, gpus[i].first + ": " + gpus[i].second->text, "a job has GPUs of one kind: " + gpus.front().first + " counts");
    TakeProduct(!gpus.empty());
  }

  void TakeGpus(const std::string& name, const YamlNode& amount) {
    const auto count = ParseCount(amount.text);
    if (!count) return Note(amount, name + ": " + amount.text, "is not read: a number");
    Put(draft_, {"resources", "gpus", "count"}, Plain(std::to_string(*count)));
    if (name == kGpus) return;
    const auto memory = MemoryOfInstance(name.substr(kMigSlice.size()));
    if (!memory) return Note(amount, name, "say resources: {gpus: {isolation: mig, memory: …}}");
    Put(draft_, {"resources", "gpus", "isolation"}, Text("mig"));
    Put(draft_, {"resources", "gpus", "memory"}, Plain(*memory));
    Note(amount, name, "is an instance with as much memory of any GPU");
  }

  void TakeProduct(bool has_gpus) {
    if (product_ == nullptr) return;
    const std::string written = std::string(kProduct) + ": " + product_->text;
    if (!has_gpus) return Note(*product_, written, "the job asks for no GPU");
    const std::string model = ModelWord(product_->text);
    const auto memory = MemoryOfName(product_->text);
    Put(draft_, {"resources", "gpus", "model"}, Text(model));
    if (memory) Put(draft_, {"resources", "gpus", "memory_min"}, Plain(*memory));
    Note(*product_, written, "is any GPU with " + model + " in its name" + (memory ? " and " + *memory + " or more" : std::string()));
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
    const YamlNode *mounts = Find(container, {"volumeMounts"}), *volumes = Find(pod, {"volumes"});
    if (mounts == nullptr || volumes == nullptr) return;
    for (const YamlNode& mount : mounts->items) {
      const YamlNode *path = Find(mount, {"mountPath"}), *name = Find(mount, {"name"});
      if (path == nullptr || name == nullptr || path->text != "/dev/shm") continue;
      for (const YamlNode& volume : volumes->items) {
        const YamlNode *own = Find(volume, {"name"}), *medium = Find(volume, {"emptyDir", "medium"});
        if (own == nullptr || own->text != name->text || medium == nullptr || medium->text != "Memory") continue;
        for (const YamlNode* used : {path, name, own, medium}) taken_.Use(*used);
        const YamlNode* limit = taken_.TakeText(volume, {"emptyDir", "sizeLimit"});
        // Without one it is as much as the host memory, as it is here.
        if (limit != nullptr) PutAmount("shm", SizeText(QuantityBytes(limit->text)), *limit);
      }
    }
  }

  const YamlNode& document_;
  Taken taken_;
  YamlNode draft_;
  std::vector<ImportNote> notes_;
  bool is_job_ = false;
  const YamlNode* product_ = nullptr;  // of which its nodes are to have GPUs
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
