#pragma once

#include <string>
#include <vector>

namespace gp {

// A column of a Table.
struct Column {
  std::string title;
  bool right = false;
  bool tree = false;  // shows the rows' nesting
  bool cut = false;   // is shortened first on a narrow terminal
};

// A table for people.  libsmartcols computes widths, draws trees and escapes control characters.
// Cells are text; "–" means unknown.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Adds a row and returns its number, for use as the parent of others; `parent` < 0: top level.
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
