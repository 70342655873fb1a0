#pragma once

// A Kubernetes document while it is read: which of its values were used, the job file so far, and
// the notes.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/inbound/job_import/draft.h"
#include "adapters/inbound/job_import/imported_job.h"
#include "adapters/inbound/job_import/kubernetes/taken.h"
#include "base/result.h"

namespace gp {

// The state of one import; used by one thread.  Functions that take a value mark it as used.
struct Document {
  Document(const YamlNode& document_root, const ImportOptions& import_options)
      : root(document_root), options(import_options), taken(document_root) {}

  void Note(const YamlNode& node, const std::string& what, const std::string& why);
  // The number at a path of keys; nullopt: there is none, and a value that is not a number has a
  // note.
  std::optional<int64_t> NumberAt(const YamlNode& map,
                                  std::initializer_list<std::string_view> path);
  // Convert a queue or priority class of Kubernetes; a name that cannot be converted has a note.
  void PutQueue(const YamlNode& name);
  void PutPriority(const YamlNode& name);
  // Visits the entries of a map whose values are texts; an entry counts as used if visit(key,
  // value) returns true.
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

// An error "line 7: …".
Error At(const YamlNode& node, const std::string& what);

}  // namespace gp
