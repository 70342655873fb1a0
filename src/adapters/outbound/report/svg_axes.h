#pragma once

// The base of a picture: how values map to positions, and the lines and labels of the axes.

#include <string>
#include <vector>

#include "base/time.h"

namespace gp {

// Width of a picture and start of its time axis, in the page's own pixels.
struct Ground {
  double width = 560;
  double left = 46;
};

// How the values of an axis map to positions.
struct Scale {
  double low = 0;  // values
  double high = 1;
  double from = 0;  // positions
  double to = 1;

  double At(double value) const { return from + (value - low) / (high - low) * (to - from); }
};

struct TickMark {
  double value = 0;
  std::string text;
};

// At most `count` of them, at round values from 0 to `high`.
std::vector<TickMark> CountTicks(double high, int count);
// The same for seconds since the beginning: "6h", "2d".
std::vector<TickMark> TimeTicks(double seconds, int count);
// The number of ticks that are readable on this axis.
int TicksOn(const Scale& scale);

// A position as the shortest number that is exact enough for a picture.
std::string Place(double place);

std::string LineAcross(const std::string& kind, double x1, double y1, double x2, double y2);
// `anchor`: start, middle or end.
std::string TextAt(double x, double y, const std::string& anchor, const std::string& text);

// Lines and labels below a plot that ends at `bottom`, and left of it.
std::string BottomAxis(const Scale& x, const std::vector<TickMark>& ticks, double top,
                       double bottom);
std::string LeftAxis(const Scale& y, const std::vector<TickMark>& ticks, double left, double right);

// Width for names left of a plot; the longest name has `letters` letters.
double MarginFor(size_t letters);

std::string Svg(double width, double height, const std::string& label, const std::string& content);

}  // namespace gp
