#pragma once

// One view of the cluster as rows and columns, before it is fitted to a screen.  Rows keep the
// controller's order (node, index) unless sorted, so that nothing jumps from tick to tick.

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gp {

// How a cell or row is shown; never the only sign: marks and words say the same.
enum class WatchLevel { kPlain, kDim, kGood, kBusy, kWarn, kBad };

struct WatchCell {
  std::string text;
  std::optional<double> rank = std::nullopt;  // sorts by this where given, by text otherwise
  std::optional<double> fill = std::nullopt;  // 0 to 1: a bar beside the text
  WatchLevel level = WatchLevel::kPlain;
};

struct WatchColumn {
  std::string title;
  int width_min = 4;
  int width_max = 4;   // where there is space
  int importance = 9;  // the least important go first where there is none
  bool right = false;
  bool whole = false;     // never cut where it can be helped: names
  bool optional = false;  // left out while it is empty in all rows
};

struct WatchRow {
  std::string key;  // the same from tick to tick
  std::vector<WatchCell> cells;
  // The lines that Enter shows; made for that row alone.  Valid while the data of the view lives.
  std::function<std::vector<std::string>()> details;
  std::vector<std::string> jobs{};  // ids of the job that it shows, or of those that hold its GPU
  std::string place = "";           // name of the node, or "node/3" of the GPU; empty: a job
};

struct WatchTable {
  std::vector<WatchColumn> columns;
  std::vector<WatchRow> rows;
  std::string empty;  // shown if there are no rows
};

struct WatchOrder {
  int column = -1;  // < 0: as the controller gave them
  bool reverse = false;
  std::string filter;  // only rows in which some cell contains it, in any case
};

void Arrange(WatchTable& table, const WatchOrder& order);

// A width for each column; 0 where there is no space for it.  One blank goes between columns.
std::vector<int> FitColumns(const WatchTable& table, int width);

}  // namespace gp
