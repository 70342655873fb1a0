#include "adapters/outbound/report/node_strip.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "adapters/outbound/report/svg_axes.h"

namespace gp {
namespace {

constexpr double kStripRightMargin = 14;
constexpr double kStripTop = 8;
constexpr double kHeightMax = 384;
constexpr double kRowMax = 18;
constexpr double kRowWithName = 11;
constexpr size_t kColumnsMax = 256;
constexpr int kShades = 8;
constexpr int kOutOfService = kShades + 1;

struct StripRow {
  std::string name;
  double gpus = 0;
  std::vector<double> held;
  std::vector<double> serving;
};

void Add(const std::vector<double>& from, std::vector<double>& to) {
  to.resize(std::max(from.size(), to.size()), 0.0);
  for (size_t i = 0; i < from.size(); ++i) to[i] += from[i];
}

std::vector<StripRow> RowsOf(const RunSeries& series) {
  const size_t nodes_per_row = (series.nodes.size() + kStripRowsMax - 1) / kStripRowsMax;
  std::vector<StripRow> rows;
  for (size_t i = 0; i < series.nodes.size(); ++i) {
    const NodeSeries& node = series.nodes[i];
    if (i % nodes_per_row == 0)
      rows.push_back({node.name + (nodes_per_row > 1 ? " …" : ""), 0, {}, {}});
    rows.back().gpus += static_cast<double>(node.gpus);
    Add(node.held, rows.back().held);
    Add(node.serving, rows.back().serving);
  }
  return rows;
}

double MeanOf(const std::vector<double>& means, size_t from, size_t to) {
  double sum = 0;
  for (size_t i = from; i < to; ++i) sum += means[i];
  return sum / static_cast<double>(to - from);
}

int ShadeOf(const StripRow& row, size_t from, size_t to) {
  const double held = row.gpus > 0 ? MeanOf(row.held, from, to) / row.gpus : 0;
  if (held < 1e-9 && MeanOf(row.serving, from, to) < row.gpus / 2) return kOutOfService;
  return held < 1e-9 ? 0 : std::clamp(static_cast<int>(held * kShades + 0.5), 1, kShades);
}

// One path for all areas of a shade keeps the page of many nodes small.
class Painter {
 public:
  void Paint(int shade, double x1, double x2, double y, double height) {
    if (shade == 0) return;
    paths_[static_cast<size_t>(shade)] += "M" + Place(x1) + " " + Place(y) + "H" + Place(x2) + "v" +
                                          Place(height) + "H" + Place(x1) + "z";
  }
  std::string Svg() const {
    std::string svg;
    for (int shade = 1; shade <= kOutOfService; ++shade) {
      const std::string& path = paths_[static_cast<size_t>(shade)];
      const std::string kind = shade == kOutOfService ? "out" : "shade s" + std::to_string(shade);
      if (!path.empty()) svg += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", kind, path);
    }
    return svg;
  }

 private:
  std::array<std::string, kOutOfService + 1> paths_;
};

void PaintRow(const StripRow& row, double span_s, double seconds, const Scale& x, double y,
              double height, Painter& painter) {
  const size_t points_per_column = (row.held.size() + kColumnsMax - 1) / kColumnsMax;
  double begin_s = 0;
  int shade = 0;
  for (size_t from = 0; from < row.held.size(); from += points_per_column) {
    const size_t to = std::min(row.held.size(), from + points_per_column);
    const int next = ShadeOf(row, from, to);
    const double from_s = span_s * static_cast<double>(from);
    if (next != shade) {
      painter.Paint(shade, x.At(begin_s), x.At(from_s), y, height);
      begin_s = from_s;
      shade = next;
    }
  }
  painter.Paint(shade, x.At(begin_s),
                x.At(std::min(seconds, span_s * static_cast<double>(row.held.size()))), y, height);
}

}  // namespace

std::string DrawNodeStrip(const std::string& label, const RunSeries& series, double seconds,
                          const Ground& ground) {
  const std::vector<StripRow> rows = RowsOf(series);
  if (rows.empty()) return "";
  const double height = std::min(kRowMax, kHeightMax / static_cast<double>(rows.size()));
  const double bottom = kStripTop + height * static_cast<double>(rows.size());
  const Scale x{0, std::max(seconds, 1.0), ground.left, ground.width - kStripRightMargin};
  const size_t every = height >= kRowWithName ? 1 : static_cast<size_t>(kRowWithName / height) + 1;
  Painter painter;
  std::string svg = BottomAxis(x, TimeTicks(x.high, TicksOn(x)), bottom, bottom);
  svg +=
      fmt::format("<rect class=\"idle\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                  Place(x.from), Place(kStripTop), Place(x.to - x.from), Place(bottom - kStripTop));
  for (size_t i = 0; i < rows.size(); ++i) {
    const double y = kStripTop + height * static_cast<double>(i);
    if (i % every == 0) svg += TextAt(x.from - 7, y + height / 2 + 4, "end", rows[i].name);
    PaintRow(rows[i], static_cast<double>(series.span.ns) / 1e9, seconds, x, y,
             height > 4 ? height - 1 : height, painter);
  }
  return Svg(ground.width, bottom + 22, label, svg + painter.Svg());
}

}  // namespace gp
