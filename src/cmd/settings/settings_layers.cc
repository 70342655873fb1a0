#include "cmd/settings/settings_layers.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "cmd/settings/profiles.h"
#include "cmd/settings/settings_decode.h"
#include "infrastructure/paths.h"
#include "lib/yaml/check_text.h"
#include "lib/yaml/merge.h"

extern char** environ;

namespace gp {
namespace {

constexpr std::string_view kAnyPrefix = "GPU_PLATFORM_";
constexpr const char* kProfile = "profile";
// Variables of the program that are not settings (docs/reference/settings.md).
constexpr std::string_view kOtherVariables[] = {"GPU_PLATFORM_AUTHORITY",
                                                "GPU_PLATFORM_FAKE_NVML_CONTROL",
                                                "GPU_PLATFORM_FAKE_NVML_MACHINE",
                                                "GPU_PLATFORM_FAKE_NVML_NODE",
                                                "GPU_PLATFORM_OUTPUT",
                                                "GPU_PLATFORM_SERVER",
                                                "GPU_PLATFORM_TOKEN"};

bool IsList(const Setting& setting) {
  return std::holds_alternative<std::vector<std::string>*>(setting.target);
}

// Reads the layers of one program, one after the other.
class LayerReader {
 public:
  LayerReader(const SettingsProgram& program, const SettingsSources& sources, SettingsRead& read)
      : program_(program), sources_(sources), read_(read) {}

  void Read() {
    if (!sources_.file.empty()) ReadFiles();
    layers_.push_back(EnvironmentLayer());
    layers_.push_back(FlagLayer());
    if (const YamlNode* const profile = HighestOf(kProfile)) {
      if (const std::string_view text = ProfileText(program_.name, profile->text); !text.empty())
        Apply(Parse(AddSource({kProfileOrigin + profile->text, std::string(text)})));
    }
    for (const YamlNode& layer : layers_) Apply(layer);
    if (read_.problems.empty()) ReadSections();
  }

 private:
  const SourceText& AddSource(SourceText source) {
    return read_.sources.emplace_back(std::move(source));
  }
  void Take(Report& report) {
    for (Diagnostic& problem : report.Take()) {
      if (std::ranges::find(read_.problems, problem) == read_.problems.end())
        read_.problems.push_back(std::move(problem));
    }
  }

  // A file of a section may have several documents, of which a later one covers those before.
  enum class Documents { kOne, kSeveral };
  // The map of a file or of a profile.
  YamlNode Parse(const SourceText& source, Documents documents = Documents::kOne) {
    Report report;
    YamlNode root{.kind = YamlNode::Kind::kMap, .place = {&source}};
    if (CheckText(source, report)) {
      bool is_first = true;
      for (const YamlNode& document : ReadYaml(source, source.text, report)) {
        if (std::exchange(is_first, false)) {
          root = document;
        } else if (documents == Documents::kSeveral) {
          MergeOver(root, document);
        } else {
          report.Add(document.place, FileCode::kWrongType,
                     "a second document: settings are one map; merge them");
        }
      }
    }
    Take(report);
    return root;
  }

  void ReadFile(const std::string& path) {
    std::error_code error;
    const bool is_empty = std::filesystem::file_size(path, error) == 0 && !error;
    auto text = is_empty ? Result<std::string>("") : ReadSource(path);
    if (!text) {
      read_.problems.push_back({.file = path,
                                .line = 1,
                                .column = 1,
                                .code = CodeText(FileCode::kNotText),
                                .message = "cannot be read",
                                .excerpt = ""});
      return;
    }
    read_.files.push_back(path);
    layers_.push_back(Parse(AddSource({path, *std::move(text)})));
  }
  void ReadFiles() {
    const std::filesystem::path file = sources_.file;
    if (access(file.c_str(), F_OK) == 0 || !sources_.file_may_lack) ReadFile(file);
    std::vector<std::string> drop_ins;
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(file.parent_path() / program_.drop_ins, error)) {
      const bool is_hidden = entry.path().filename().string().starts_with('.');  // of an editor
      if (entry.path().extension() == ".yaml" && !is_hidden) drop_ins.push_back(entry.path());
    }
    std::ranges::sort(drop_ins);
    for (const std::string& path : drop_ins) ReadFile(path);
  }

  // A value that was given as text: in a variable, or to a flag.
  YamlNode Argument(const std::string& name, const std::string& text) {
    const SourceText& source = AddSource({name, text, true});
    return {.kind = YamlNode::Kind::kPlain, .place = {&source}, .text = text};
  }
  YamlNode ArgumentList(const std::string& name, const std::vector<std::string>& texts) {
    YamlNode list = Argument(name, Join(texts, ","));
    list.kind = YamlNode::Kind::kList;
    for (const std::string& text : texts) list.items.push_back(Argument(name, text));
    return list;
  }

  YamlNode EnvironmentLayer() {
    YamlNode root{.kind = YamlNode::Kind::kMap};
    std::map<std::string, std::string> left = sources_.environment;
    // `separator`: of a list; '\0': it is none.
    const auto take = [&](const std::string& key, char separator) {
      const auto found = left.find(VariableOf(program_.prefix, key));
      if (found == left.end()) return;
      const std::string& text = found->second;
      const auto items = text.empty() ? std::vector<std::string>() : Split(text, separator);
      SetPath(root, key,
              separator != '\0' ? ArgumentList(found->first, items) : Argument(found->first, text));
      left.erase(found);
    };
    for (const Setting& row : program_.rows) take(row.key, IsList(row) ? row.separator : '\0');
    for (const SettingsSection& section : program_.sections) {
      for (const std::string& name : section.names) take(section.key + "." + name, '\0');
    }
    for (const auto& [name, value] : left) {
      const bool is_known = std::ranges::find(kOtherVariables, name) != std::end(kOtherVariables);
      if (!is_known && name.starts_with(program_.prefix)) WarnOf(name);
    }
    return root;
  }
  void WarnOf(const std::string& name) {
    std::vector<std::string> names;
    for (const Setting& row : program_.rows) names.push_back(VariableOf(program_.prefix, row.key));
    const auto nearest = Nearest(name, names);
    read_.warnings.push_back(Printable(name, 80) + " names no setting" +
                             (nearest ? "; did you mean " + *nearest + "?" : ""));
  }

  YamlNode FlagLayer() {
    YamlNode root{.kind = YamlNode::Kind::kMap};
    for (const Setting& row : program_.rows) {
      const auto given = sources_.flags.find(row.key);
      if (given == sources_.flags.end()) continue;
      SetPath(root, row.key,
              IsList(row) ? ArgumentList(row.flag, given->second)
                          : Argument(row.flag, given->second.back()));
    }
    return root;
  }

  // The value of the highest layer that has the key; nullptr: none has.
  const YamlNode* HighestOf(const std::string& key) const {
    const YamlNode* highest = nullptr;
    for (const YamlNode& layer : layers_) {
      if (const YamlNode* const value = FindPath(layer, key)) highest = value;
    }
    return highest;
  }

  // The file of a section lies just below the layer that names it, unless a higher layer names
  // another one, or none.
  void Apply(const YamlNode& layer) {
    for (const SettingsSection& section : program_.sections) {
      const YamlNode* const named = FindPath(layer, section.file_key);
      if (named == nullptr || named != HighestOf(section.file_key) || !named->IsScalar()) continue;
      // A relative path in a file is refused where the layer is decoded.
      if (named->text.starts_with('/') || (IsInArgument(named->place) && !named->text.empty()))
        ApplySectionFile(section, *named);
    }
    ApplyRoot(layer);
  }
  void ApplySectionFile(const SettingsSection& section, const YamlNode& named) {
    const std::string path = AbsolutePath(named.text);
    auto text = ReadSource(path);
    if (!text) {
      Report report;
      report.Add(named.place, FileCode::kBadText,
                 (IsInArgument(named.place) ? "" : section.file_key + ": ") + text.error().message);
      return Take(report);
    }
    YamlNode root{.kind = YamlNode::Kind::kMap};
    SetPath(root, section.key, Parse(AddSource({path, *std::move(text)}), Documents::kSeveral));
    ApplyRoot(root);
  }
  void ApplyRoot(const YamlNode& root) {
    Report report;
    DecodeLayer(program_, root, report);
    Take(report);
    MergeOver(read_.root, root);
  }

  void ReadSections() {
    Report report;
    for (const SettingsSection& section : program_.sections) {
      const YamlNode* const map = FindPath(read_.root, section.key);
      if (map != nullptr && map->kind == YamlNode::Kind::kMap) section.read(*map, report);
    }
    Take(report);
  }

  const SettingsProgram& program_;
  const SettingsSources& sources_;
  SettingsRead& read_;
  std::vector<YamlNode> layers_;  // without the profile, lowest first
};

}  // namespace

SettingsRead ReadSettings(const SettingsProgram& program, const SettingsSources& sources) {
  SettingsRead read;
  std::vector<std::string> built_in;
  for (const Setting& row : program.rows) built_in.push_back(ValueText(row));
  LayerReader(program, sources, read).Read();
  for (size_t i = 0; i < program.rows.size(); ++i) {
    const Setting& row = program.rows[i];
    if (std::holds_alternative<std::monostate>(row.target)) continue;
    read.values.push_back(
        {row.key, ValueText(row), OriginOf(read.root, row.key), built_in[i], row.is_secret});
  }
  return read;
}

std::string OriginOf(const YamlNode& root, const std::string& path) {
  const YamlNode* const node = FindPath(root, path);
  if (node == nullptr || node->place.source == nullptr) return kBuiltIn;
  const SourceText& source = *node->place.source;
  const bool has_lines = !source.is_argument && source.name.starts_with('/');
  return source.name + (has_lines ? ":" + std::to_string(node->place.line) : "");
}

std::map<std::string, std::string> SettingsEnvironment() {
  std::map<std::string, std::string> variables;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view text = *one;
    const size_t equals = text.find('=');
    if (text.starts_with(kAnyPrefix) && equals != std::string_view::npos)
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::string DefaultSettingsFile(const std::string& name) {
  return DefaultConfigDirectory() + "/" + name + ".yaml";
}

}  // namespace gp
