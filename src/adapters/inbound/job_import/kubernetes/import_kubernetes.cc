#include "adapters/inbound/job_import/kubernetes/import_kubernetes.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "adapters/inbound/job_import/kubernetes/document.h"
#include "adapters/inbound/job_import/kubernetes/pod.h"
#include "adapters/inbound/job_import/kubernetes/workload.h"
#include "base/text.h"
#include "domain/model/jobs/job_name.h"
#include "domain/model/jobs/text_rules.h"
#include "lib/yaml/check_text.h"

namespace gp {
namespace {

bool IsQueueLabel(std::string_view key) {
  constexpr std::string_view kLabels[] = {"kueue.x-k8s.io/queue-name", "kai.scheduler/queue",
                                          "runai/queue", "scheduling.volcano.sh/queue-name",
                                          "volcano.sh/queue-name"};
  return std::ranges::find(kLabels, key) != std::end(kLabels);
}

std::string HintFor(const std::string& path) {
  constexpr std::pair<std::string_view, std::string_view> kHints[] = {
      {"image", "set image: to its name: the program runs on the node itself without it"},
      {"tolerations", "set node_labels: for the intended nodes"},
      {"affinity", "set node_labels: and topology:"},
      {"nodeSelector", "set node_labels: with labels of the nodes here"},
      {"io/hostname", "set node_labels: with labels of the nodes here"},
      {"volumes", "the job sees the node's own paths; nothing is mounted"},
      {"volumeMounts", "the job sees the node's own paths; nothing is mounted"},
      {"ttlSecondsAfterFinished",
       "the controller's policy sets how long finished jobs are remembered"},
      {"annotations", "set labels:"},
      {"envFrom", "list each variable under env:"},
      {"initContainers", "do this at the beginning of run:"},
      {"serviceAccountName", "a job runs as the user who submits it"},
      {"securityContext", "a job runs as the user who submits it"},
      {"suspend", "gpu-platform jobs hold JOB"},
      {"schedulerName", "there is one scheduler"},
      {"schedule", "a job has no schedule: submit it with cron"},
      {"subdomain", "GP_MASTER_ADDR names the node of rank 0"},
      {"plugins",
       "the nodes of a job find each other by GP_NODE_LIST, GP_NODE_RANK and GP_MASTER_ADDR; no "
       "ssh "
       "keys are set up"},
      {"policies", "if a rank fails, all ranks end and restart according to retry:"},
      {"elasticPolicy", "a job keeps the number of nodes with which it starts"},
      {"runtimeRef", "what the runtime adds is not read: set it in run: and env:"},
      {"network", "the nodes of a job find each other by GP_NODE_LIST and GP_MASTER_ADDR"},
  };
  const std::string last = path.substr(path.rfind('.') + 1);
  for (const auto& [key, hint] : kHints) {
    if (last == key || last.starts_with(std::string(key) + "[") ||
        path.ends_with("." + std::string(key)))
      return std::string(hint);
  }
  return "has no counterpart";
}

void TakeLabels(const YamlNode* metadata, Document& document) {
  if (metadata == nullptr) return;
  document.ForEachText(Find(*metadata, {"labels"}),
                       [&](const std::string& key, const YamlNode& value) {
                         if (IsQueueLabel(key)) {
                           document.PutQueue(value);
                         } else if (LabelNameFault(key) || LabelValueFault(value.text)) {
                           return false;
                         } else {
                           Put(document.draft, {"labels", key}, Text(value.text));
                         }
                         return true;
                       });
  document.ForEachText(Find(*metadata, {"annotations"}),
                       [&](const std::string& key, const YamlNode& value) {
                         if (!IsQueueLabel(key)) return false;
                         document.PutQueue(value);
                         return true;
                       });
}

void TakeMetadata(const std::string& fallback_name, Document& document) {
  std::string name = fallback_name;
  const YamlNode* generated = document.taken.TakeText(document.root, {"metadata", "generateName"});
  const YamlNode* given = document.taken.TakeText(document.root, {"metadata", "name"});
  if (const YamlNode* written = given != nullptr ? given : generated) {
    name = JobNameFromPath(written->text);
    if (given != nullptr && name != given->text)
      document.Note(*given, "name: " + given->text, "is called " + name + " here");
  }
  Put(document.draft, {"name"}, Text(JobNameFromPath(name)));
  if (const YamlNode* space = document.taken.TakeText(document.root, {"metadata", "namespace"});
      space != nullptr && space->text != "default") {
    if (NameFault(space->text)) {
      document.Note(*space, "namespace: " + space->text,
                    "a project's name has letters, digits, _ and -");
    } else {
      Put(document.draft, {"project"}, Text(space->text));
    }
  }
  TakeLabels(Find(document.root, {"metadata"}), document);
}

// The text of the job file; nullopt: the document is not a job, and `notes` says so.
Result<std::optional<std::string>> ImportDocument(const YamlNode& root,
                                                  const std::string& fallback_name,
                                                  const ImportOptions& options,
                                                  std::vector<ImportNote>& notes) {
  Document document(root, options);
  TakeMetadata(fallback_name, document);
  const auto workload = GP_TRY(ReadWorkload(document));
  if (!workload) {
    notes.push_back(document.notes.back());
    return std::nullopt;
  }
  TakeLabels(workload->pod_metadata, document);
  if (workload->pod_metadata != nullptr) document.taken.TakeText(*workload->pod_metadata, {"name"});
  GP_CHECK_OK(TakePod(*workload, document));
  document.taken.ForEachLeft([&](const std::string& path, int line) {
    document.notes.push_back({line, Printable(path, 120), HintFor(path)});
  });
  std::ranges::move(document.notes, std::back_inserter(notes));
  return std::optional(ToYaml(document.draft));
}

// The documents, with the items of a "List" or "JobList" as documents of their own.
std::vector<const YamlNode*> DocumentsIn(const std::vector<YamlNode>& documents) {
  std::vector<const YamlNode*> all;
  for (const YamlNode& document : documents) {
    const YamlNode *kind = Find(document, {"kind"}), *items = Find(document, {"items"});
    if (kind == nullptr || items == nullptr || !kind->text.ends_with("List") ||
        items->kind != YamlNode::Kind::kList) {
      all.push_back(&document);
      continue;
    }
    for (const YamlNode& item : items->items) all.push_back(&item);
  }
  return all;
}

}  // namespace

Result<ImportedJob> ImportKubernetes(std::string_view file_name, std::string_view text,
                                     const ImportOptions& options) {
  const SourceText source{std::string(file_name), std::string(text)};
  Report report;
  std::vector<YamlNode> documents;
  if (CheckText(source, report)) documents = ReadYaml(source, source.text, report);
  if (!report.empty()) {
    const Diagnostic first = report.Take().front();
    return Fail(InvalidArgument("line " + std::to_string(first.line) + ": " + first.message));
  }
  ImportedJob imported;
  for (const YamlNode* document : DocumentsIn(documents)) {
    const auto job =
        GP_TRY(ImportDocument(*document, JobNameFromPath(file_name), options, imported.notes));
    if (job) imported.text += (imported.text.empty() ? "" : "---\n") + *job;
  }
  if (imported.text.empty()) {
    if (imported.notes.empty())
      return Fail(InvalidArgument("there is no Kubernetes job in the file"));
    const ImportNote& first = imported.notes.front();
    const size_t others = imported.notes.size() - 1;
    const std::string more =
        others == 0 ? ""
                    : "; nor is there one in the " + std::to_string(others) + " documents after it";
    return Fail(InvalidArgument("line " + std::to_string(first.line) + ": " + first.what + " " +
                                first.why + more));
  }
  std::ranges::stable_sort(imported.notes, {}, &ImportNote::line);
  return imported;
}

}  // namespace gp
