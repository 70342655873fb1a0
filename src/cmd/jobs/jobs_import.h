#pragma once

// `jobs import`: converts jobs of other schedulers to job files.

#include <CLI/CLI.hpp>

#include "cmd/cli.h"

namespace gp {

void AddJobsImport(CLI::App& jobs, Cli& cli);

}  // namespace gp
