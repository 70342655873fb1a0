#pragma once

// The figures of runs for people, one row for each figure: its name, then one cell for each run.

#include <string>
#include <vector>

#include "simulation/run/run_figures.h"

namespace gp {

using FigureRow = std::vector<std::string>;

std::vector<FigureRow> FigureRows(const std::vector<RunFigures>& runs);
// Waits in each queue.
std::vector<FigureRow> QueueRows(const std::vector<RunFigures>& runs);
// The models without a price that occur in any of the runs.
std::vector<std::string> ModelsWithoutPrice(const std::vector<RunFigures>& runs);

}  // namespace gp
