#pragma once

// Lays rows out in columns of a terminal.

#include <string>
#include <vector>

#include "infrastructure/table.h"

namespace gp {

// A row as it is drawn.
struct TableLine {
  std::vector<std::string> cells;
  std::string rest;  // of the tree's column, where the row continues on further lines
  bool is_header = false;
};

// Text of the lines on a terminal of `width` columns, 0: unlimited.  `may_drop`: columns may be
// left out.
std::string LayOut(std::vector<Column> columns, std::vector<TableLine> lines, int width,
                   bool may_drop, bool colors);

}  // namespace gp
