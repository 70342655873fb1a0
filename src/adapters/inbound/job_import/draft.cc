#include "adapters/inbound/job_import/draft.h"

#include <algorithm>
#include <iterator>

#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Whether every YAML reader takes the word or path for text.
bool IsSafe(std::string_view text) {
  constexpr std::string_view kOthers[] = {"true", "false", "yes", "no", "on",
                                          "off",  "null",  "y",   "n"};
  if (text.empty() || !(IsLetter(text.front()) || text.front() == '/')) return false;
  const auto is_plain = [](char c) {
    return IsLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '/' || c == '-';
  };
  if (!std::ranges::all_of(text, is_plain)) return false;
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::ranges::find(kOthers, lower) == std::end(kOthers);
}

// The text in YAML's double quotes.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (c == '\r') {
      quoted += "\\r";
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string ScalarText(const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kPlain) return node.text;
  return IsSafe(node.text) ? node.text : Quoted(node.text);
}

std::string ListText(const YamlNode& list) {
  std::string text;
  for (const YamlNode& item : list.items) text += (text.empty() ? "" : ", ") + ScalarText(item);
  return "[" + text + "]";
}

void WriteMap(const YamlNode& map, const std::string& indent, std::string& yaml) {
  for (const YamlEntry& entry : map.entries) {
    yaml += indent + (IsSafe(entry.key) ? entry.key : Quoted(entry.key)) + ":";
    if (entry.value.kind == YamlNode::Kind::kMap) {
      yaml += "\n";
      WriteMap(entry.value, indent + "  ", yaml);
    } else if (entry.value.kind == YamlNode::Kind::kList) {
      yaml += " " + ListText(entry.value) + "\n";
    } else if (entry.value.kind == YamlNode::Kind::kNull) {
      yaml += "\n";
    } else {
      yaml += " " + ScalarText(entry.value) + "\n";
    }
  }
}

YamlNode Scalar(YamlNode::Kind kind, std::string text) {
  YamlNode node;
  node.kind = kind;
  node.text = std::move(text);
  return node;
}

}  // namespace

YamlNode Plain(std::string text) { return Scalar(YamlNode::Kind::kPlain, std::move(text)); }

YamlNode Text(std::string text) { return Scalar(YamlNode::Kind::kQuoted, std::move(text)); }

YamlNode TextList(std::vector<std::string> texts) {
  YamlNode list;
  list.kind = YamlNode::Kind::kList;
  for (std::string& text : texts) list.items.push_back(Text(std::move(text)));
  return list;
}

void Put(YamlNode& map, const std::vector<std::string>& path, YamlNode value) {
  YamlNode* at = &map;
  for (const std::string& key : path) {
    at->kind = YamlNode::Kind::kMap;
    YamlEntry* entry = at->Find(key);
    if (entry == nullptr) {
      entry = &at->entries.emplace_back();
      entry->key = key;
    }
    at = &entry->value;
  }
  *at = std::move(value);
}

std::optional<std::string> VariableRefusal(std::string_view name) {
  constexpr std::string_view kOverwritten[] = {"MASTER_ADDR", "MASTER_PORT", "CUDA_DEVICE_ORDER"};
  if (IsReservedVariable(name) || std::ranges::find(kOverwritten, name) != std::end(kOverwritten))
    return "is set by the platform for every job: left out";
  if (const auto fault = VariableNameFault(name)) return "left out: " + *fault;
  return std::nullopt;
}

std::string ToYaml(const YamlNode& map) {
  std::string yaml;
  WriteMap(map, "", yaml);
  return yaml;
}

}  // namespace gp
