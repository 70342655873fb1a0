#include "adapters/inbound/job_import/kubernetes/taken.h"

#include <algorithm>

namespace gp {

const YamlNode* Find(const YamlNode& map, std::initializer_list<std::string_view> path) {
  const YamlNode* at = &map;
  for (const std::string_view key : path) {
    const YamlEntry* entry = at->kind == YamlNode::Kind::kMap ? at->Find(key) : nullptr;
    if (entry == nullptr) return nullptr;
    at = &entry->value;
  }
  return at;
}

const YamlNode* Taken::TakeText(const YamlNode& map, std::initializer_list<std::string_view> path) {
  const YamlNode* node = Find(map, path);
  if (node == nullptr || !(node->IsScalar() || node->kind == YamlNode::Kind::kNull)) return nullptr;
  Use(*node);
  return node->IsScalar() ? node : nullptr;
}

void Taken::ForEachLeft(const Teller& tell) const { TellBelow(document_, "", tell); }

bool Taken::HasUsed(const YamlNode& node) const {
  if (used_.contains(&node)) return true;
  return std::ranges::any_of(node.items, [&](const YamlNode& item) { return HasUsed(item); }) ||
         std::ranges::any_of(node.entries,
                             [&](const YamlEntry& entry) { return HasUsed(entry.value); });
}

// A node of which no part was used is reported as one.
void Taken::TellOne(const YamlNode& node, const std::string& path, int line,
                    const Teller& tell) const {
  if (used_.contains(&node)) return;
  if (HasUsed(node)) return TellBelow(node, path, tell);
  tell(path, line);
}

void Taken::TellBelow(const YamlNode& node, const std::string& path, const Teller& tell) const {
  for (const YamlEntry& entry : node.entries)
    TellOne(entry.value, path.empty() ? entry.key : path + "." + entry.key, entry.place.line, tell);
  for (size_t i = 0; i < node.items.size(); ++i)
    TellOne(node.items[i], path + "[" + std::to_string(i) + "]", node.items[i].place.line, tell);
}

}  // namespace gp
