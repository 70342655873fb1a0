#include "adapters/outbound/report/time_plot.h"

#include <fmt/format.h>

#include <algorithm>

#include "adapters/outbound/report/svg_axes.h"

namespace gp {
namespace {

constexpr double kHeight = 200;
constexpr double kTimeRightMargin = 14;
constexpr double kTimeTop = 10;
constexpr double kHeadroom = 1.05;
constexpr double kBottom = kHeight - 24;

// Draws steps: each mean holds for its span.
std::string PathOf(const PlotLine& line, const TimePlot& plot, const Scale& x, const Scale& y) {
  const double span_s = static_cast<double>(line.span.ns) / 1e9;
  std::string path;
  for (size_t i = 0; i < line.means.size(); ++i) {
    const double end_s = std::min(plot.seconds, span_s * static_cast<double>(i + 1));
    path += path.empty() ? "M" + Place(x.At(0)) + " " + Place(y.At(line.means[i]))
                         : "V" + Place(y.At(line.means[i]));
    path += "H" + Place(x.At(end_s));
  }
  return path;
}

}  // namespace

std::string DrawTimePlot(const TimePlot& plot) {
  const Scale x{0, std::max(plot.seconds, 1.0), plot.ground.left,
                plot.ground.width - kTimeRightMargin};
  const Scale y{0, std::max(plot.high, 1.0) * kHeadroom, kBottom, kTimeTop};
  std::string svg = LeftAxis(y, CountTicks(y.high, 5), x.from, x.to) +
                    BottomAxis(x, TimeTicks(x.high, TicksOn(x)), kTimeTop, kBottom);
  for (const PlotLine& line : plot.lines) {
    std::string path = PathOf(line, plot, x, y);
    if (path.empty()) continue;
    if (line.kind.ends_with("area")) path += "V" + Place(kBottom) + "H" + Place(x.from) + "Z";
    svg += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", line.kind, path);
  }
  return Svg(plot.ground.width, kHeight, plot.label,
             svg + LineAcross("axis", x.from, kBottom, x.to, kBottom));
}

}  // namespace gp
