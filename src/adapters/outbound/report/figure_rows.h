#pragma once

// The figures of runs as people read them, one row a figure: its name, then one cell for each run.

#include <string>
#include <vector>

#include "simulation/run/run_figures.h"

namespace gp {

using FigureRow = std::vector<std::string>;

std::vector<FigureRow> FigureRows(const std::vector<RunFigures>& runs);
// Waits in each queue.
std::vector<FigureRow> QueueRows(const std::vector<RunFigures>& runs);
// Of the models that any of them has.
std::vector<std::string> ModelsWithoutPrice(const std::vector<RunFigures>& runs);

}  // namespace gp
