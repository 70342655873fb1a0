#pragma once

// How full each node was over time: one row a node, the stronger its colour the fuller.

#include <string>

#include "adapters/outbound/report/svg_axes.h"
#include "simulation/run/run_series.h"

namespace gp {

// Where there are more nodes, neighbours share a row.
inline constexpr size_t kStripRowsMax = 96;

// `seconds` is where the axis ends.
std::string DrawNodeStrip(const std::string& label, const RunSeries& series, double seconds,
                          const Ground& ground);

}  // namespace gp
