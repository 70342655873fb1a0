#include "cmd/settings/setting.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "domain/model/jobs/text_rules.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

// Puts a value that was read, or returns the fault.
template <typename T, typename Put>
std::optional<SettingFault> Keep(const YamlNode& node, Read<T> value, Put put) {
  if (!value) return SettingFault{value.error().code, value.error().message, node.place};
  put(*std::move(value));
  return std::nullopt;
}

Read<std::string> ReadOneText(const Setting& setting, const YamlNode& node) {
  Read<std::string> text = ReadVerbatim(node);
  if (!text) return text;
  if (setting.is_path != nullptr && !text->empty() && setting.is_path(*text)) {
    if (IsInArgument(node.place)) text = AbsolutePath(*text);
    if (const auto fault = PathFault(*text))
      return std::unexpected(Fault{FileCode::kBadText, *fault});
  }
  if (setting.fault_of == nullptr) return text;
  if (const auto fault = setting.fault_of(*text))
    return std::unexpected(Fault{FileCode::kBadWord, *fault});
  return text;
}

struct Storing {
  const Setting& setting;
  const YamlNode& node;

  std::optional<SettingFault> operator()(std::monostate) const { return std::nullopt; }
  std::optional<SettingFault> operator()(std::string* text) const {
    return Keep(node, ReadOneText(setting, node),
                [&](std::string read) { *text = std::move(read); });
  }
  std::optional<SettingFault> operator()(bool* value) const {
    return Keep(node, ReadBool(node), [&](int64_t read) { *value = read != 0; });
  }
  std::optional<SettingFault> operator()(InvertedBool inverted) const {
    return (*this)(inverted.value);
  }
  std::optional<SettingFault> operator()(Duration* span) const {
    return Keep(node, ReadDuration(node, setting.least, setting.most),
                [&](int64_t read) { *span = Duration{read}; });
  }
  std::optional<SettingFault> operator()(int* count) const {
    return Keep(node, ReadCount(node, setting.least, setting.most),
                [&](int64_t read) { *count = static_cast<int>(read); });
  }
  std::optional<SettingFault> operator()(int64_t* count) const {
    return Keep(node, ReadCount(node, setting.least, setting.most),
                [&](int64_t read) { *count = read; });
  }
  // A list of texts, or one text in place of a list.
  std::optional<SettingFault> operator()(std::vector<std::string>* texts) const {
    std::vector<std::string> read;
    const auto keep = [&](const YamlNode& item) {
      return Keep(item, ReadOneText(setting, item),
                  [&](std::string text) { read.push_back(std::move(text)); });
    };
    const std::span<const YamlNode> items =
        node.kind == YamlNode::Kind::kList ? std::span(node.items) : std::span(&node, 1);
    for (const YamlNode& item : items) {
      if (auto fault = keep(item)) return fault;
    }
    *texts = std::move(read);
    return std::nullopt;
  }
  std::optional<SettingFault> operator()(const WordTarget& target) const {
    return Keep(node, ReadWord(node, target.words),
                [&](int64_t position) { target.set(static_cast<size_t>(position)); });
  }
};

struct Telling {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const std::string* text) const {
    return text->empty() ? "" : YamlText(*text);
  }
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(InvertedBool inverted) const { return (*this)(inverted.value); }
  std::string operator()(const Duration* span) const { return DurationText(*span); }
  std::string operator()(const int* count) const { return std::to_string(*count); }
  std::string operator()(const int64_t* count) const { return std::to_string(*count); }
  std::string operator()(const std::vector<std::string>* texts) const {
    std::vector<std::string> items;
    for (const std::string& text : *texts) items.push_back(YamlText(text));
    return "[" + Join(items, ", ") + "]";
  }
  std::string operator()(const WordTarget& target) const {
    return std::string(target.words[target.get()]);
  }
};

}  // namespace

std::optional<SettingFault> Store(const Setting& setting, const YamlNode& node) {
  return std::visit(Storing{setting, node}, setting.target);
}

bool IsInArgument(const Place& place) {
  return place.source != nullptr && place.source->is_argument;
}

std::string ValueText(const Setting& setting) { return std::visit(Telling{}, setting.target); }

std::string YamlText(const std::string& text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@=:%";
  const bool is_plain = !text.empty() && text.find_first_not_of(kPlain) == std::string::npos &&
                        !std::string_view("-:@%").contains(text.front()) && !text.ends_with(':') &&
                        text != "null" && text != "Null" && text != "NULL";
  return is_plain
             ? text
             : nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool IsPath(const std::string&) { return true; }
bool IsPathWithSlash(const std::string& text) { return text.contains('/'); }
bool IsPathOrFingerprint(const std::string& text) { return !text.starts_with("sha256:"); }

std::string VariableOf(const std::string& prefix, const std::string& key) {
  std::string name = prefix + key;
  for (char& c : name) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (c == '.') c = '_';
  }
  return name;
}

}  // namespace gp
