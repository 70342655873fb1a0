#include "adapters/inbound/job_import/kubernetes/pod_groups.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"

namespace gp {
namespace {

// Whether the key is only a name, which has no effect on what runs.
bool IsNameOnly(const std::string& path, const std::string& key) {
  return path.ends_with(']') && key == "name" && path.find("containers[") != std::string::npos &&
         path.find('.', path.rfind('[')) == std::string::npos;
}

// The path of the first value that differs.
std::optional<std::string> FirstDifference(const YamlNode& one, const YamlNode& other,
                                           const std::string& path) {
  if (one.IsScalar() && other.IsScalar())
    return one.text == other.text ? std::nullopt : std::optional(path);
  if (one.kind != other.kind || one.items.size() != other.items.size()) return path;
  for (size_t i = 0; i < one.items.size(); ++i) {
    if (auto difference =
            FirstDifference(one.items[i], other.items[i], path + "[" + std::to_string(i) + "]"))
      return difference;
  }
  std::set<std::string> keys;
  for (const YamlNode* node : {&one, &other}) {
    for (const YamlEntry& entry : node->entries) keys.insert(entry.key);
  }
  for (const std::string& key : keys) {
    if (IsNameOnly(path, key)) continue;
    const std::string below = path.empty() ? key : path + "." + key;
    const YamlEntry *mine = one.Find(key), *its = other.Find(key);
    if (mine == nullptr || its == nullptr) return below;
    if (auto difference = FirstDifference(mine->value, its->value, below)) return difference;
  }
  return std::nullopt;
}

}  // namespace

int64_t Replicas(const std::vector<PodGroup>& groups) {
  int64_t replicas = 0;
  for (const PodGroup& group : groups) replicas += group.replicas;
  return replicas;
}

Result<const YamlNode*> CommonTemplate(const std::string& kind, const std::vector<PodGroup>& groups,
                                       Document& document) {
  const PodGroup* first = nullptr;
  for (const PodGroup& group : groups) {
    const YamlNode* spec = Find(*group.pod_template, {"spec"});
    if (spec == nullptr)
      return Fail(At(*group.pod_template, kind + " " + group.name + ": its template has no spec"));
    if (group.replicas == 0) {
      document.taken.Use(*group.pod_template);
      continue;
    }
    if (first == nullptr) {
      first = &group;
      continue;
    }
    if (const auto difference = FirstDifference(*Find(*first->pod_template, {"spec"}), *spec, "")) {
      return Fail(At(*group.pod_template,
                     "kind " + kind + ": " + Printable(first->name, 40) + " and " +
                         Printable(group.name, 40) + " differ in " + Printable(*difference, 80) +
                         ", and all ranks of a job run the same: make a job of each, or "
                         "distinguish them by GP_NODE_RANK in one program"));
    }
    document.taken.Use(*group.pod_template);
  }
  if (first == nullptr)
    return Fail(At(document.root, "kind " + kind + ": it has no replicas, so it runs nothing"));
  return first->pod_template;
}

}  // namespace gp
