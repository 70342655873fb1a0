#pragma once

// One setting of `serve` or `agent`.  A row of a table (controller_settings.cc, agent_settings.cc)
// gives its key in the settings file, its flag and its meaning; the environment variable, the
// decoder, the JSON Schema, `config show` and the reference follow from it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/time.h"
#include "lib/yaml/scalar.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {

// One word of several.
struct WordTarget {
  std::vector<std::string_view> words;
  std::function<void(size_t position)> set;
  std::function<size_t()> get;
};

// The flag of a boolean that is true unless it is given, such as --no-agent.
struct InvertedBool {
  bool* value;
};

// Where a value goes in the configuration, which also tells its type.  monostate: a key that a
// section of the file reads, such as policy.min_run.
using SettingTarget = std::variant<std::monostate, std::string*, bool*, InvertedBool, Duration*,
                                   int*, int64_t*, std::vector<std::string>*, WordTarget>;

struct Setting {
  std::string key;                // "listen.http"
  std::string flag;               // "--http"; empty: none
  std::string value_name;         // in the help: "ADDRESS"
  std::string meaning;            // one line
  std::string flag_meaning = {};  // for a flag that says the opposite of its key; empty: `meaning`
  SettingTarget target;
  int64_t least = 0;  // of durations, in ns, and of counts
  int64_t most = 0;
  // What is wrong with a text; nullopt: nothing.
  std::optional<std::string> (*fault_of)(const std::string& text) = nullptr;
  // Which texts are paths: absolute in a file, and on a command line relative to the working
  // directory; nullptr: none is.
  bool (*is_path)(const std::string& text) = nullptr;
  char separator = ',';    // of a list in a variable of the environment
  bool is_secret = false;  // the value may contain a secret
};

bool IsPath(const std::string& text);               // always
bool IsPathWithSlash(const std::string& text);      // not a word, or the name of a program in PATH
bool IsPathOrFingerprint(const std::string& text);  // not "sha256:…"

using SettingRows = std::vector<Setting>;

inline constexpr int64_t kSettingDay = Duration::Minutes(24 * 60).ns;
inline constexpr int64_t kSettingDurationMax = 36'500 * kSettingDay;

struct SettingFault {
  FileCode code;
  std::string message;
  Place place;  // of the value, or of the element of a list
};

// Whether the place is in a flag or a variable, not in a file.
bool IsInArgument(const Place& place);

// Reads the value into the row's target.  nullopt: it fits.
std::optional<SettingFault> Store(const Setting& setting, const YamlNode& node);

// The value that the target has, as one writes it in a file; "": none.
std::string ValueText(const Setting& setting);

// The text as a scalar of YAML, quoted where it must be.
std::string YamlText(const std::string& text);

// "GPU_PLATFORM_LISTEN_HTTP".  `prefix`: "GPU_PLATFORM_".
std::string VariableOf(const std::string& prefix, const std::string& key);

}  // namespace gp
