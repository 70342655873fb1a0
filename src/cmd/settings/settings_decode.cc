#include "cmd/settings/settings_decode.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "lib/yaml/map_reader.h"

namespace gp {
namespace {

using Kind = YamlNode::Kind;

std::string_view LastPart(std::string_view key) { return key.substr(key.rfind('.') + 1); }

// "no-agent" of "--no-agent", with underscores.
std::string AsKey(std::string_view flag) {
  std::string key(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())));
  std::ranges::replace(key, '-', '_');
  return key;
}

class LayerDecoder {
 public:
  LayerDecoder(const SettingsProgram& program, Report& report)
      : program_(program), report_(report) {}

  void Decode(const YamlNode& map, const std::string& path) {
    if (map.kind == Kind::kNull) return;  // a key without any below it
    if (map.kind != Kind::kMap) {
      const std::vector<std::string> names = NamesBelow(path);
      return Refuse(
          map.place, FileCode::kWrongType, path,
          "must be a map with keys such as \"" + names.front() + ":\", not " + Describe(map));
    }
    for (const YamlEntry& entry : map.entries)
      DecodeEntry(entry, path.empty() ? entry.key : path + "." + entry.key);
  }

 private:
  void DecodeEntry(const YamlEntry& entry, const std::string& path) {
    if (const SettingsSection* const section = SectionAt(path))
      return CheckSection(*section, entry.value);
    const auto row = std::ranges::find(program_.rows, path, &Setting::key);
    if (row != program_.rows.end()) {
      if (const auto fault = Store(*row, entry.value))
        Refuse(fault->place, fault->code, path, fault->message);
    } else if (!path.empty() && !NamesBelow(path).empty()) {
      Decode(entry.value, path);
    } else {
      RefuseKey(entry, path);
    }
  }

  void CheckSection(const SettingsSection& section, const YamlNode& map) {
    if (map.kind == Kind::kNull) return;
    if (map.kind != Kind::kMap)
      return Refuse(map.place, FileCode::kWrongType, section.key,
                    "must be a map, not " + Describe(map) + "; name a file by " + section.file_key);
    if (section.is_read_in_parts) section.read(map, report_);
  }

  void RefuseKey(const YamlEntry& entry, const std::string& path) {
    const size_t dot = path.rfind('.');
    const std::string parent = dot == std::string::npos ? "" : path.substr(0, dot);
    const std::string hint = Elsewhere(entry.key, parent).value_or("");
    Refuse(entry.place, FileCode::kUnknownKey, parent,
           "there is no setting \"" + Printable(entry.key, 60) + "\"" +
               (hint.empty() ? DidYouMean(entry.key, NamesBelow(parent))
                             : "; did you mean \"" + hint + "\"?"));
  }

  // The key that is meant if it is written at another place, or as its flag.
  std::optional<std::string> Elsewhere(const std::string& key, const std::string& parent) const {
    const std::string whole = parent.empty() ? key : parent + "." + key;
    for (const Setting& row : program_.rows) {
      const bool is_meant =
          LastPart(row.key) == key || AsKey(row.flag) == AsKey(key) || row.key == AsKey(whole);
      if (is_meant && !row.key.empty() && row.key != whole) return row.key;
    }
    for (const SettingsSection& section : program_.sections) {
      if (std::ranges::find(section.names, AsKey(key)) != section.names.end())
        return section.key + "." + AsKey(key);
    }
    return std::nullopt;
  }

  // The keys of the map at the path.
  std::vector<std::string> NamesBelow(const std::string& path) const {
    const std::string prefix = path.empty() ? "" : path + ".";
    std::set<std::string> names;
    const auto add = [&](const std::string& key) {
      if (!key.starts_with(prefix)) return;
      const std::string rest = key.substr(prefix.size());
      names.insert(rest.substr(0, rest.find('.')));
    };
    for (const Setting& row : program_.rows) add(row.key);
    for (const SettingsSection& section : program_.sections) {
      add(section.key);
      if (section.key != path) continue;
      names.insert(section.names.begin(), section.names.end());
    }
    return {names.begin(), names.end()};
  }

  const SettingsSection* SectionAt(const std::string& path) const {
    const auto found = std::ranges::find(program_.sections, path, &SettingsSection::key);
    return found == program_.sections.end() ? nullptr : &*found;
  }

  // A flag or a variable names itself; a place in a file does not tell which key it has.
  void Refuse(const Place& place, FileCode code, const std::string& path,
              const std::string& message) {
    report_.Add(place, code, (IsInArgument(place) || path.empty() ? "" : path + ": ") + message);
  }

  const SettingsProgram& program_;
  Report& report_;
};

}  // namespace

void DecodeLayer(const SettingsProgram& program, const YamlNode& root, Report& report) {
  LayerDecoder(program, report).Decode(root, "");
}

}  // namespace gp
