#include "adapters/outbound/report/wait_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "adapters/outbound/report/svg_axes.h"
#include "base/percentile.h"

namespace gp {
namespace {

constexpr double kWaitRightMargin = 18;
constexpr double kWaitTop = 8;
constexpr double kRow = 26;
constexpr size_t kNameMax = 18;

// A logarithmic scale that includes 0, because most jobs do not wait.
double Grown(double seconds) { return std::log10(1 + seconds); }

std::vector<TickMark> Ticks(double high_s) {
  constexpr struct {
    double seconds;
    const char* text;
  } kAll[] = {{0, "0"},           {1, "1s"},           {10, "10s"},     {60, "1m"},
              {600, "10m"},       {3'600, "1h"},       {36'000, "10h"}, {345'600, "4d"},
              {3'456'000, "40d"}, {34'560'000, "400d"}};
  std::vector<TickMark> ticks;
  for (const auto& tick : kAll) {
    if (tick.seconds <= high_s) ticks.push_back({Grown(tick.seconds), tick.text});
  }
  return ticks;
}

// Keeps the end of the name, where queues differ.
std::string Shortened(const std::string& name) {
  return name.size() <= kNameMax ? name : "…" + name.substr(name.size() - kNameMax + 1);
}

std::string Bar(const std::string& kind, double from, double to, double middle, double height) {
  return fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"2\"/>\n",
                     kind, Place(from), Place(middle - height / 2), Place(std::max(to - from, 2.0)),
                     Place(height));
}

std::string QueueRow(const QueueWaits& queue, double middle, const Scale& x) {
  const auto at = [&](size_t percent) { return x.At(Grown(Percentile(queue.seconds, percent))); };
  const double longest = x.At(Grown(std::ranges::max(queue.seconds)));
  std::string svg = TextAt(x.from - 12, middle + 4, "end", Shortened(queue.queue));
  svg += Bar("whisker", at(0), longest, middle, 2);
  svg += Bar("half", at(25), at(75), middle, 12);
  svg += Bar("median", at(50) - 1.5, at(50) + 1.5, middle, 18);
  return svg + fmt::format("<circle class=\"p95\" cx=\"{}\" cy=\"{}\" r=\"4\"/>\n", Place(at(95)),
                           Place(middle));
}

}  // namespace

std::string DrawWaitPlot(const std::string& label, const std::vector<QueueWaits>& queues,
                         double high_s, double width) {
  const size_t rows = std::min(queues.size(), kWaitRowsMax);
  const double bottom = kWaitTop + kRow * static_cast<double>(std::max<size_t>(rows, 1));
  size_t letters = 0;
  for (size_t i = 0; i < rows; ++i)
    letters = std::max(letters, std::min(queues[i].queue.size(), kNameMax));
  const Scale x{0, Grown(std::max(high_s, 10.0)), MarginFor(letters) + 8, width - kWaitRightMargin};
  std::string svg = BottomAxis(x, Ticks(high_s), kWaitTop, bottom);
  for (size_t i = 0; i < rows; ++i)
    svg += QueueRow(queues[i], kWaitTop + kRow * (static_cast<double>(i) + 0.5), x);
  return Svg(width, bottom + 24, label, svg);
}

}  // namespace gp
