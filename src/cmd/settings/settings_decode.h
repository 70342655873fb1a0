#pragma once

#include "cmd/settings/settings_layers.h"

namespace gp {

// Writes the values of one layer to the program's configuration.  Problems, unknown keys among
// them, are added to the report.  Sections are checked only.
void DecodeLayer(const SettingsProgram& program, const YamlNode& root, Report& report);

}  // namespace gp
