#pragma once

// Tables for people, drawn by libsmartcols: widths, trees and escapes of odd characters are its
// business.  Cells are text; "–" stands for unknown.

#include <string>
#include <vector>

namespace gp {

struct Column {
  std::string title;
  bool right = false;
  bool tree = false;  // shows the rows' nesting
  bool cut = false;   // gives way first where the terminal is narrow
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // The row's number, to hang others below it; `parent` < 0: at the top.
  int Add(std::vector<std::string> cells, int parent = -1);
  bool empty() const { return rows_.empty(); }
  std::string ToText(bool with_headers = true) const;
  std::string ToCsv(bool with_headers = true) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    int parent;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

inline const char* const kDash = "–";

}  // namespace gp
