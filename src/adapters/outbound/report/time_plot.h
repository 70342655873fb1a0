#pragma once

// Levels over time as one picture.

#include <string>
#include <vector>

#include "adapters/outbound/report/svg_axes.h"

namespace gp {

struct PlotLine {
  std::string kind;           // CSS class: "held area", "installed"
  std::vector<double> means;  // one for each span, from the beginning on
  Duration span;
};

struct TimePlot {
  std::string label;
  std::vector<PlotLine> lines;  // the first one is drawn at the back
  double seconds = 1;           // of the axis, from the beginning
  double high = 1;              // of the axis
  Ground ground;
};

std::string DrawTimePlot(const TimePlot& plot);

}  // namespace gp
