#pragma once

// The commands of gpu-platform-experiments, one file each.

#include <CLI/CLI.hpp>

#include "cmd/output.h"

namespace gp {

void AddAgentsExperiment(CLI::App& app, Output& output);
void AddPackingExperiment(CLI::App& app, Output& output);
void AddTopologyExperiment(CLI::App& app, Output& output);
void AddTraceExperiment(CLI::App& app, Output& output);
void AddScheduleBenchmark(CLI::App& app, Output& output);

}  // namespace gp
