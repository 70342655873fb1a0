#pragma once

// The occupancy of each node over time: one row for each node, with stronger colour for fuller
// nodes.  If there are more nodes than rows, neighbours share a row.

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
