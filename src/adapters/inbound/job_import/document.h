#pragma once

// A document of Kubernetes while it is read: what of it was used, the job file so far, and what is
// to be said.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/inbound/job_import/draft.h"
#include "adapters/inbound/job_import/imported_job.h"
#include "adapters/inbound/job_import/taken.h"
#include "base/result.h"

namespace gp {

struct Document {
  Document(const YamlNode& document_root, const ImportOptions& import_options)
      : root(document_root), options(import_options), taken(document_root) {}

  void Note(const YamlNode& node, const std::string& what, const std::string& why);
  // A number at a path of keys; what is none has a note.
  std::optional<int64_t> NumberAt(const YamlNode& map,
                                  std::initializer_list<std::string_view> path);
  // Theirs as ours; what can be no queue has a note.
  void PutQueue(const YamlNode& name);
  void PutPriority(const YamlNode& name);
  // Labels whose values are texts: visit(key, value) says whether it took one.
  template <typename Visit>
  void ForEachText(const YamlNode* map, Visit visit) {
    if (map == nullptr || map->kind != YamlNode::Kind::kMap) return;
    for (const YamlEntry& entry : map->entries) {
      if (entry.value.IsScalar() && visit(entry.key, entry.value)) taken.Use(entry.value);
    }
  }

  const YamlNode& root;
  const ImportOptions& options;
  Taken taken;
  YamlNode draft;
  std::vector<ImportNote> notes;
};

// "line 7: …".
Error At(const YamlNode& node, const std::string& what);

}  // namespace gp
