#pragma once

// The settings of an agent (docs/settings.md): agent.yaml, and the map `agent` of controller.yaml.

#include "cmd/agent/agent_config.h"
#include "cmd/settings/settings_layers.h"

namespace gp {

// What is true of a node, whichever program starts its agent.  `prefix`: of the keys, "agent." in
// the controller's file.
SettingRows NodeSettings(AgentConfig& config, const std::string& prefix);

// All settings of `gpu-platform agent`.
SettingsProgram AgentProgram(AgentConfig& config);

// The values that differ from the built-in ones, as flags of `gpu-platform agent`.
std::vector<std::string> FlagsOf(const AgentConfig& config);

}  // namespace gp
