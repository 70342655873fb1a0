#pragma once

// What a rank runs to start its job's command by the launcher that the job names.

#include <map>
#include <string>
#include <vector>

#include "domain/node/desired_state.h"

namespace gp {

// `rsh`: path of gpu-platform-rsh, as the rank sees it.
std::vector<std::string> LauncherCommand(const DesiredLease& desired, const std::string& rsh);

// Whether the rank needs gpu-platform-rsh.
bool NeedsRsh(const DesiredLease& desired);

// Makes the launchers of MPI implementations start programs on other nodes by gpu-platform-rsh.
void AddRshVariables(const std::string& rsh, std::map<std::string, std::string>& environment);

}  // namespace gp
