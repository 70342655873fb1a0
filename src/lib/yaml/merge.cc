#include "lib/yaml/merge.h"

#include <algorithm>

namespace gp {

void MergeOver(YamlNode& below, const YamlNode& above) {
  using Kind = YamlNode::Kind;
  const bool says_nothing = above.kind == Kind::kNull && below.kind == Kind::kMap;
  if (says_nothing) return;
  if (below.kind != Kind::kMap || above.kind != Kind::kMap) {
    below = above;
    return;
  }
  for (const YamlEntry& entry : above.entries) {
    if (YamlEntry* const known = below.Find(entry.key)) {
      known->place = entry.place;
      MergeOver(known->value, entry.value);
    } else {
      below.entries.push_back(entry);
    }
  }
}

const YamlNode* FindPath(const YamlNode& root, std::string_view path) {
  const YamlNode* node = &root;
  while (!path.empty()) {
    const size_t dot = std::min(path.find('.'), path.size());
    const YamlEntry* const entry = node->Find(path.substr(0, dot));
    if (entry == nullptr) return nullptr;
    node = &entry->value;
    path.remove_prefix(std::min(dot + 1, path.size()));
  }
  return node;
}

void SetPath(YamlNode& root, std::string_view path, YamlNode value) {
  root.kind = YamlNode::Kind::kMap;
  if (root.place.source == nullptr) root.place = value.place;
  const size_t dot = path.find('.');
  const std::string_view key = path.substr(0, dot);
  YamlEntry* entry = root.Find(key);
  if (entry == nullptr)
    entry = &root.entries.emplace_back(std::string(key), value.place, YamlNode());
  if (dot == std::string_view::npos) {
    entry->value = std::move(value);
  } else {
    SetPath(entry->value, path.substr(dot + 1), std::move(value));
  }
}

}  // namespace gp
