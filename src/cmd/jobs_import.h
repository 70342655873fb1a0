#pragma once

// `jobs import`: jobs of other schedulers as job files of ours.

#include <CLI/CLI.hpp>

#include "cmd/cli.h"

namespace gp {

void AddJobsImport(CLI::App& jobs, Cli& cli);

}  // namespace gp
