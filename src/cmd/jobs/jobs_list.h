#pragma once

// jobs list.

#include "cmd/cli.h"

namespace gp {

void AddJobsList(CLI::App& jobs, Cli& cli);

}  // namespace gp
