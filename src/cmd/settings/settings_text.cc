#include "cmd/settings/settings_text.h"

#include <algorithm>

#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kOriginColumn = 40;

std::string_view GroupOf(std::string_view key) {
  const size_t dot = key.find('.');
  return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

bool IsOfSection(const Setting& row) { return std::holds_alternative<std::monostate>(row.target); }

// The line with what the origin is behind it, in its own column where there is room.
std::string WithOrigin(std::string line, const std::string& origin) {
  line.resize(std::max(line.size() + 2, kOriginColumn), ' ');
  return line + "# " + origin;
}

const SettingValue* ValueOf(const SettingsRead& read, const std::string& key) {
  const auto found = std::ranges::find(read.values, key, &SettingValue::key);
  return found == read.values.end() ? nullptr : &*found;
}

// `is_first`: below the name of its group, without an empty line.
std::string RowText(const Setting& row, const SettingValue& value, bool origins, bool is_first) {
  const std::string_view group = GroupOf(row.key);
  const std::string indent = group.empty() ? "" : "  ";
  const std::string name = group.empty() ? row.key : row.key.substr(group.size() + 1);
  const std::string line =
      indent + name + ":" + (value.value.empty() ? " \"\"" : " " + value.value);
  return (is_first ? "" : "\n") + indent + "# " + row.meaning + "\n" +
         (origins ? WithOrigin(line, value.origin) : line) + "\n";
}

template <typename IsShown>
std::string RowsText(const SettingsProgram& program, const SettingsRead& read, bool origins,
                     IsShown is_shown) {
  std::string text;
  std::string_view group;
  for (const Setting& row : program.rows) {
    const SettingValue* const value = ValueOf(read, row.key);
    if (value == nullptr || IsOfSection(row) || !is_shown(*value)) continue;
    const bool is_first = GroupOf(row.key) != group && !GroupOf(row.key).empty();
    if (is_first) text += "\n" + std::string(GroupOf(row.key)) + ":\n";
    group = GroupOf(row.key);
    text += RowText(row, *value, origins, is_first);
  }
  return text;
}

}  // namespace

std::string SettingsText(const SettingsProgram& program, const SettingsRead& read, bool origins) {
  return "# Settings of the " + program.name +
         ".  Files read, lowest first: " + (read.files.empty() ? "none" : Join(read.files, ", ")) +
         "\n" + RowsText(program, read, origins, [](const SettingValue&) { return true; });
}

std::string GivenSettingsText(const SettingsProgram& program, const SettingsRead& read) {
  return RowsText(program, read, false, [](const SettingValue& value) {
    return value.origin != kBuiltIn && !value.origin.starts_with(kProfileOrigin);
  });
}

std::string SectionText(const SettingsSection& section, const SettingsRead& read,
                        const std::string& text, bool origins) {
  std::string out = "\n" + section.key + ":\n";
  for (const std::string& line : Split(text, '\n')) {
    const std::string name = line.substr(0, line.find(':'));
    const bool is_key = std::ranges::find(section.names, name) != section.names.end();
    out += line.empty() ? "\n"
           : origins && is_key
               ? WithOrigin("  " + line, OriginOf(read.root, section.key + "." + name)) + "\n"
               : "  " + line + "\n";
  }
  return out;
}

nlohmann::ordered_json SettingsDocument(const SettingsRead& read) {
  auto settings = nlohmann::ordered_json::array();
  for (const SettingValue& one : read.values) {
    settings.push_back({{"key", one.key},
                        {"value", one.value},
                        {"origin", one.origin},
                        {"built_in", one.built_in}});
  }
  return {{"files", read.files}, {"settings", settings}};
}

std::string SettingsReference(const SettingsProgram& program) {
  std::string text = "| Key | Default | Flag | Variable | Meaning |\n|---|---|---|---|---|\n";
  for (const Setting& row : program.rows) {
    const std::string value = ValueText(row);
    text += "| `" + row.key + "` | " + (value.empty() ? "–" : "`" + value + "`") + " | " +
            (row.flag.empty() ? "–" : "`" + row.flag + "`") + " | `" +
            VariableOf(program.prefix, row.key) + "` | " + row.meaning + " |\n";
  }
  return text;
}

}  // namespace gp
