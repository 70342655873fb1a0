#pragma once

// Levels over time as one picture.

#include <string>
#include <vector>

#include "adapters/outbound/report/svg_axes.h"

namespace gp {

struct PlotLine {
  std::string kind;           // class of its style: "held area", "installed"
  std::vector<double> means;  // one a span, from the beginning on
  Duration span;
};

struct TimePlot {
  std::string label;
  std::vector<PlotLine> lines;  // the first one farthest back
  double seconds = 1;           // of the axis, from the beginning
  double high = 1;              // of the axis
  Ground ground;
};

std::string DrawTimePlot(const TimePlot& plot);

}  // namespace gp
