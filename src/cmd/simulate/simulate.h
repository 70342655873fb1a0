#pragma once

// The subcommands of `simulate`, one file each.

#include "cmd/cli.h"

namespace gp {

void AddSimulateScenario(CLI::App& simulate, Cli& cli);
void AddSimulateWorld(CLI::App& simulate, Cli& cli);

}  // namespace gp
