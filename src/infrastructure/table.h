#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace gp {

// A column of a Table.
struct Column {
  std::string title;
  bool right = false;
  bool tree = false;  // shows the rows' nesting
  bool cut = false;   // its cells are shortened on a narrow terminal
  // On a narrow terminal, the column with the highest number is left out first; 0: never.
  int drop = 0;
  bool wide = false;  // shown only by -o wide, in CSV, or by its name
  // Colour of a cell as an SGR parameter, such as "31"; "": none.
  std::string_view (*color)(std::string_view cell) = nullptr;
};

// What a row shows in a column.  The value, in base units (seconds, bytes, whole numbers), is what
// rows are sorted by and what CSV contains where the text has a unit.
struct Cell {
  std::string text;
  std::optional<double> value = std::nullopt;

  Cell() = default;
  Cell(std::string shown) : text(std::move(shown)) {}  // NOLINT: cells are written as texts
  Cell(const char* shown) : text(shown) {}             // NOLINT
  Cell(std::string shown, double number) : text(std::move(shown)), value(number) {}
};
using Cells = std::vector<Cell>;

// How a table is shown.
struct TableView {
  std::vector<std::string> columns = {};  // titles, in this order; empty: all, without wide ones
  std::string sort = {};                  // title, or -TITLE for the reverse order; empty: as added
  bool wide = false;
  bool headers = true;
  bool colors = false;
  int width = 0;  // columns of the terminal; 0: unlimited
};

// A table for people.  Cells are text; "–" means unknown.  What could steer the terminal is shown
// as \x1b (Printable): cells hold text of users.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Adds a row and returns its number, for use as the parent of others; `parent` < 0: top level.
  int Add(Cells cells, int parent = -1);
  bool empty() const { return rows_.empty(); }

  // On a terminal that is too narrow, columns are left out (`drop`), then cells of columns that are
  // `cut` are shortened with "…", the widest first, to eight columns or the title.  Where the last
  // column is cut, nothing of its text is lost: it continues on further lines, or where the column
  // would be too narrow to read, stands below its row.
  // kInvalidArgument: the view names an unknown column; the message lists those that exist.
  Result<std::string> ToText(const TableView& view) const;
  // All columns, or those of the view; unknown values are empty.
  Result<std::string> ToCsv(const TableView& view) const;
  // Without a view; the second, on the terminal at standard output.
  std::string ToText(bool with_headers, int width) const;
  std::string ToText() const;

 private:
  struct Row {
    Cells cells;
    int parent;
  };
  struct Branch {  // what stands before the cells of a row in the tree's column
    std::string first;
    std::string rest;  // where the row continues on further lines
  };

  Result<size_t> FindColumn(std::string_view title) const;
  Result<std::vector<size_t>> ShownColumns(const TableView& view, bool with_wide) const;
  Result<std::vector<size_t>> RowOrder(const TableView& view) const;
  std::vector<Branch> Branches() const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

inline const char* const kDash = "–";

}  // namespace gp
