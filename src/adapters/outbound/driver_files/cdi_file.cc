#include "adapters/outbound/driver_files/cdi_file.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "lib/yaml/check_text.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {
namespace {

constexpr std::string_view kKind = "nvidia.com/gpu";

const YamlNode* Member(const YamlNode& node, std::string_view key, YamlNode::Kind kind) {
  if (node.kind != YamlNode::Kind::kMap) return nullptr;
  const YamlEntry* const entry = node.Find(key);
  return entry != nullptr && entry->value.kind == kind ? &entry->value : nullptr;
}

std::string TextOf(const YamlNode& node, std::string_view key) {
  const YamlEntry* const entry = node.kind == YamlNode::Kind::kMap ? node.Find(key) : nullptr;
  return entry != nullptr && entry->value.IsScalar() ? entry->value.text : "";
}

// Of `containerEdits`, which the file and each of its devices have.
void AddMounts(const YamlNode& owner, std::vector<CdiMount>& mounts) {
  const YamlNode* const edits = Member(owner, "containerEdits", YamlNode::Kind::kMap);
  const YamlNode* const list =
      edits == nullptr ? nullptr : Member(*edits, "mounts", YamlNode::Kind::kList);
  if (list == nullptr) return;
  for (const YamlNode& one : list->items) {
    CdiMount mount{TextOf(one, "hostPath"), TextOf(one, "containerPath")};
    const bool is_whole = mount.from.starts_with('/') && mount.to.starts_with('/');
    if (is_whole && std::ranges::find(mounts, mount) == mounts.end())
      mounts.push_back(std::move(mount));
  }
}

}  // namespace

Result<std::vector<CdiMount>> ReadCdiMounts(const std::string& name, const std::string& text) {
  const SourceText source{name, text};
  Report report;
  std::vector<YamlNode> documents;
  if (CheckText(source, report)) documents = ReadYaml(source, source.text, report);
  if (!report.empty()) {
    const std::string problems = AsLines(report.Take());
    return Fail(InvalidArgument(problems.substr(0, problems.find('\n'))));
  }
  std::vector<CdiMount> mounts;
  for (const YamlNode& document : documents) {
    if (TextOf(document, "kind") != kKind) continue;
    AddMounts(document, mounts);
    const YamlNode* const devices = Member(document, "devices", YamlNode::Kind::kList);
    if (devices == nullptr) continue;
    for (const YamlNode& device : devices->items) AddMounts(device, mounts);
  }
  return mounts;
}

}  // namespace gp
