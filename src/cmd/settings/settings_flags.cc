#include "cmd/settings/settings_flags.h"

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "infrastructure/paths.h"

namespace gp {
namespace {

constexpr const char* kNoFile = "none";

using Texts = std::vector<std::string>;

void AddConfigFlag(CLI::App& sub, const SettingsProgram& program,
                   const std::shared_ptr<SettingsSources>& sources) {
  sources->file = DefaultSettingsFile(program.name);
  sub.add_option_function<std::string>(
         "--config",
         [sources](const std::string& file) {
           sources->file = file == kNoFile ? "" : AbsolutePath(file);
           if (file == kNoFile) sources->environment.clear();
           sources->file_may_lack = false;
         },
         "Settings file; none: neither a file nor variables of the environment; default: " +
             program.name + ".yaml in /etc/gpu-platform, if it exists (docs/settings.md)")
      ->type_name("FILE");
}

void AddBool(CLI::App& sub, const Setting& row, const std::shared_ptr<SettingsSources>& sources) {
  const bool is_inverted = std::holds_alternative<InvertedBool>(row.target);
  // --tls=false counts as -1.
  sub.add_flag_function(
      row.flag,
      [sources, key = row.key, is_inverted](int64_t count) {
        sources->flags[key] = {(count > 0) != is_inverted ? "true" : "false"};
      },
      row.flag_meaning.empty() ? row.meaning : row.flag_meaning);
}

void AddValue(CLI::App& sub, const Setting& row, const std::shared_ptr<SettingsSources>& sources) {
  const bool is_list = std::holds_alternative<Texts*>(row.target);
  CLI::Option* const option = sub.add_option_function<Texts>(
      row.flag, [sources, key = row.key](const Texts& texts) { sources->flags[key] = texts; },
      row.meaning);
  option->type_name(row.value_name.empty() ? "TEXT" : row.value_name);
  if (is_list) {
    if (row.value_name.ends_with("…]")) option->delimiter(',')->allow_extra_args(false);
  } else {
    option->expected(1);
  }
  if (is_list) return;
  if (const std::string text = ValueText(row); !text.empty()) {
    option->default_str(text);
  }
}

}  // namespace

void AddSettingsFlags(CLI::App& sub, const SettingsProgram& program,
                      const std::shared_ptr<SettingsSources>& sources) {
  AddConfigFlag(sub, program, sources);
  for (const Setting& row : program.rows) {
    if (row.flag.empty()) continue;
    const bool is_bool = std::holds_alternative<bool*>(row.target) ||
                         std::holds_alternative<InvertedBool>(row.target);
    if (is_bool) {
      AddBool(sub, row, sources);
    } else {
      AddValue(sub, row, sources);
    }
  }
}

}  // namespace gp
