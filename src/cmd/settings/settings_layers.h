#pragma once

// Reads the settings of a program from their layers, lowest first: the built-in values, a profile,
// the settings file with its drop-ins, the environment, the flags (docs/settings.md).

#include <deque>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cmd/settings/setting.h"
#include "lib/yaml/diagnostic.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {

// Where settings come from, besides the program itself.
struct SettingsSources {
  // Empty: no file is read, and no variable of the environment.
  std::string file;
  bool file_may_lack = true;  // the file at the usual place need not exist
  std::map<std::string, std::vector<std::string>> flags;  // by the setting's key
  std::map<std::string, std::string> environment;         // the variables GPU_PLATFORM_…
};

// A map of the file with a reader of its own, such as `policy`.
struct SettingsSection {
  std::string key;
  std::string file_key;            // the setting that names a file with the same content
  std::vector<std::string> names;  // its keys
  // Whether a part of the map, as one layer has it, can be read alone.
  bool is_read_in_parts = false;
  std::function<void(const YamlNode& map, Report& report)> read;
  std::function<nlohmann::ordered_json(const std::string& name)> schema_of;  // of one key
};

// The settings of `serve` or `agent`.  Rows and sections write to one configuration.
struct SettingsProgram {
  std::string name;    // "controller": the file is controller.yaml
  std::string prefix;  // of the environment variables
  std::string
      drop_ins;  // directory beside the file; its *.yaml are read in the order of their names
  SettingRows rows;
  std::vector<SettingsSection> sections;
};

struct SettingValue {
  std::string key;
  std::string value;
  std::string origin;  // "/etc/gpu-platform/controller.yaml:3", "--http", "profile production"
  std::string built_in;
  bool is_secret = false;  // the value may contain a secret: only the machine itself shows it
};

inline constexpr const char* kBuiltIn = "built in";
inline constexpr const char* kProfileOrigin = "profile ";  // the profile's name follows

// All layers, read and merged; the values are in the program's configuration.
struct SettingsRead {
  std::deque<SourceText> sources;                  // places refer to them
  YamlNode root = {.kind = YamlNode::Kind::kMap};  // merged, for origins
  std::vector<std::string> files;                  // in the order in which they were read
  std::vector<Diagnostic> problems;
  std::vector<std::string> warnings;  // variables that name no setting
  std::vector<SettingValue> values;   // of the rows, in their order
};

SettingsRead ReadSettings(const SettingsProgram& program, const SettingsSources& sources);

// "/etc/gpu-platform/controller.yaml:3"; kBuiltIn: no layer has the path.
std::string OriginOf(const YamlNode& root, const std::string& path);

// The GPU_PLATFORM_… variables of this process.
std::map<std::string, std::string> SettingsEnvironment();

// Where the settings file of a program is if no flag names one: /etc/gpu-platform/NAME.yaml, or
// $XDG_CONFIG_HOME/gpu-platform/NAME.yaml.
std::string DefaultSettingsFile(const std::string& name);

}  // namespace gp
