#pragma once

// The subcommands of `bench` that live in files of their own.

#include "cmd/cli.h"

namespace gp {

void AddBenchSchedule(CLI::App& bench, Cli& cli);

}  // namespace gp
