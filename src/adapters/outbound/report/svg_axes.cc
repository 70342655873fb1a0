#include "adapters/outbound/report/svg_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "adapters/outbound/report/html_text.h"

namespace gp {
namespace {

std::vector<TickMark> Ticks(double high, double step, auto text) {
  std::vector<TickMark> ticks;
  for (int i = 0; i * step <= high * (1 + 1e-9); ++i) ticks.push_back({i * step, text(i * step)});
  return ticks;
}

std::string SecondsText(double seconds) {
  return seconds == 0 ? "0" : ToText(Duration::Seconds(static_cast<int64_t>(seconds)));
}

}  // namespace

std::vector<TickMark> CountTicks(double high, int count) {
  double step = 1;
  for (const double factor = 10; high / (step * 5) > count; step *= factor) {
  }
  for (const double round : {1.0, 2.0, 5.0, 10.0}) {
    if (high / (step * round) > count) continue;
    step *= round;
    break;
  }
  return Ticks(high, step, [](double value) { return fmt::format("{:.0f}", value); });
}

std::vector<TickMark> TimeTicks(double seconds, int count) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3'600;
  constexpr double kDay = 86'400;
  constexpr double kSteps[] = {
      1,          2,           5,           10,           15,           30,
      kMinute,    2 * kMinute, 5 * kMinute, 15 * kMinute, 30 * kMinute, kHour,
      2 * kHour,  4 * kHour,   6 * kHour,   12 * kHour,   kDay,         2 * kDay,
      5 * kDay,   10 * kDay,   20 * kDay,   30 * kDay,    100 * kDay,   365 * kDay,
      1000 * kDay};
  for (const double step : kSteps) {
    if (seconds / step <= count) return Ticks(seconds, step, SecondsText);
  }
  return {};
}

int TicksOn(const Scale& scale) {
  return std::max(2, static_cast<int>((scale.to - scale.from) / 60));
}

std::string Place(double place) {
  std::string text = fmt::format("{:.1f}", place);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string LineAcross(const std::string& kind, double x1, double y1, double x2, double y2) {
  return fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", kind,
                     Place(x1), Place(y1), Place(x2), Place(y2));
}

std::string TextAt(double x, double y, const std::string& anchor, const std::string& text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", Place(x), Place(y),
                     anchor, Escape(text));
}

std::string BottomAxis(const Scale& x, const std::vector<TickMark>& ticks, double top,
                       double bottom) {
  std::string svg;
  for (const TickMark& tick : ticks) {
    svg += LineAcross("grid", x.At(tick.value), top, x.At(tick.value), bottom);
    svg += TextAt(x.At(tick.value), bottom + 15, "middle", tick.text);
  }
  return svg;
}

std::string LeftAxis(const Scale& y, const std::vector<TickMark>& ticks, double left,
                     double right) {
  std::string svg;
  for (const TickMark& tick : ticks) {
    svg += LineAcross("grid", left, y.At(tick.value), right, y.At(tick.value));
    svg += TextAt(left - 7, y.At(tick.value) + 4, "end", tick.text);
  }
  return svg;
}

double MarginFor(size_t letters) {
  return std::clamp(22 + 6.2 * static_cast<double>(letters), 46.0, 150.0);
}

std::string Svg(double width, double height, const std::string& label, const std::string& content) {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
                     Place(width), Place(height), Escape(label), content);
}

}  // namespace gp
