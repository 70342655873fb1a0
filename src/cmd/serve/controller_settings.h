#pragma once

// The settings of a controller (docs/settings.md): what controller.yaml, the environment and the
// flags of `serve` may say.

#include "cmd/serve/controller_config.h"

namespace gp {

// Rows and sections that write to the configuration, which must outlive them.
SettingsProgram ControllerProgram(ControllerConfig& config);

// All layers, and what follows from them.  kInvalidArgument lists all problems, each with its
// place.
Result<ControllerConfig> ReadControllerSettings(const SettingsSources& sources);

// The same, with the problems as they are shown to users.
struct ControllerReading {
  ControllerConfig config;
  SettingsRead read;
};
void ReadControllerSettings(const SettingsSources& sources, ControllerReading& reading);

}  // namespace gp
