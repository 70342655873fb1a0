#pragma once

#include <memory>

#include "cmd/cli.h"
#include "cmd/settings/settings_layers.h"

namespace gp {

// Adds the flags of the rows, and --config; what is given is put into the sources.
void AddSettingsFlags(CLI::App& sub, const SettingsProgram& program,
                      const std::shared_ptr<SettingsSources>& sources);

}  // namespace gp
