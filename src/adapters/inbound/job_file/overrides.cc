#include "adapters/inbound/job_file/overrides.h"

#include <algorithm>

#include "adapters/inbound/job_file/codes.h"
#include "adapters/inbound/job_file/field.h"
#include "base/text.h"
#include "base/utf8.h"
#include "lib/yaml/check_text.h"
#include "lib/yaml/scalar.h"

namespace gp {
namespace {

using enum FileCode;

// Names of variables and labels may contain dots, so what follows env. or labels. is one key.
std::vector<std::string> SplitPath(const std::string& path) {
  const size_t dot = path.find('.');
  const Field* first = FindField(path.substr(0, dot));
  const bool is_free =
      first != nullptr && (first->kind == FieldKind::kVariables ||
                           first->kind == FieldKind::kLabels || first->kind == FieldKind::kRules);
  if (is_free && dot != std::string::npos) return {path.substr(0, dot), path.substr(dot + 1)};
  std::vector<std::string> keys = Split(path, '.');
  if (first != nullptr) keys.front() = first->name;  // the user may have written an older name
  return keys;
}

std::optional<Override> ReadOverride(const std::string& path, const SourceText& argument,
                                     Report& report) {
  const int path_length = static_cast<int>(CountCharacters(path));
  Override change{SplitPath(path), {&argument, 1, 1, std::max(path_length, 1)}, {}};
  if (std::ranges::any_of(change.path, &std::string::empty)) {
    report.Add(change.place, JobFileCode::kBadOverride,
               "the path is incomplete: write --set path=value, such as "
               "--set resources.gpus=4");
    return std::nullopt;
  }
  if (!CheckText(argument, report)) return std::nullopt;
  const size_t problems_before = report.size();
  // The path is replaced by one space for each character, so that places in the value stay right.
  const size_t characters = static_cast<size_t>(path_length) + 1;
  std::string yaml = std::string(characters, ' ') + argument.text.substr(path.size() + 1);
  std::vector<YamlNode> values = ReadYaml(argument, yaml, report);
  if (report.size() != problems_before) return std::nullopt;
  change.value.place = change.place;
  if (values.size() == 1) change.value = std::move(values.front());
  if (values.size() > 1) {
    report.Add(values[1].place, JobFileCode::kBadOverride, "only one value is allowed");
    return std::nullopt;
  }
  return change;
}

}  // namespace

std::vector<Override> ReadOverrides(
    const std::vector<std::pair<std::string, std::string>>& settings, SourceTexts& sources,
    Report& report) {
  std::vector<Override> changes;
  for (const auto& [path, value] : settings) {
    const SourceText& argument = sources.emplace_back("--set", path + "=" + value, true);
    if (auto change = ReadOverride(path, argument, report)) changes.push_back(std::move(*change));
  }
  return changes;
}

std::vector<Override> ReadVariables(
    const std::vector<std::pair<std::string, std::string>>& variables, SourceTexts& sources,
    Report& report) {
  std::vector<Override> changes;
  for (const auto& [name, value] : variables) {
    // The value may be a secret: it is not part of the text that excerpts show.
    const SourceText& argument = sources.emplace_back("--env", name + "=…", true);
    const Place place{&argument, 1, 1, std::max(static_cast<int>(CountCharacters(name)), 1)};
    if (!IsUtf8(name) || !IsUtf8(value)) {
      report.Add(place, kNotText, "this is not UTF-8 text");
      continue;
    }
    Override change{{"env", name}, place, {}};
    change.value.kind = YamlNode::Kind::kQuoted;
    change.value.place = place;
    change.value.text = value;
    changes.push_back(std::move(change));
  }
  return changes;
}

void ApplyOverride(const Override& change, YamlNode& document, Report& report) {
  YamlNode* node = &document;
  std::string path;
  for (const std::string& key : change.path) {
    if (node->kind == YamlNode::Kind::kNull) {
      node->kind = YamlNode::Kind::kMap;
      node->place = change.place;
    }
    if (node->kind != YamlNode::Kind::kMap) {
      report.Add(change.place, JobFileCode::kBadOverride,
                 "the file has " + Describe(*node) + " for " + path + ", which cannot hold \"" +
                     Printable(key, 40) + "\": set " + path + " as a whole");
      return;
    }
    path += (path.empty() ? "" : ".") + Printable(key, 40);
    YamlEntry* entry = node->Find(key);
    if (entry == nullptr) {
      entry = &node->entries.emplace_back();
      entry->key = key;
    }
    entry->place = change.place;
    node = &entry->value;
  }
  *node = change.value;
}

}  // namespace gp
