#pragma once

// jobs cancel, kill, hold and release: each name selects one job or elements of an array.

#include <string>
#include <vector>

#include "cmd/cli.h"

namespace gp {

void StopJobs(const std::vector<std::string>& names, bool force, Cli& cli);
void HoldJobs(const std::vector<std::string>& names, Cli& cli);
void ReleaseJobs(const std::vector<std::string>& names, Cli& cli);

}  // namespace gp
