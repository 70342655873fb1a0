#pragma once

#include <string>
#include <vector>

namespace gp {

// A column of a Table.
struct Column {
  std::string title;
  bool right = false;
  bool tree = false;  // shows the rows' nesting
  bool cut = false;   // gives way first on a narrow terminal
};

// A table for people.  Cells are text; "–" means unknown.  What could steer the terminal is shown
// as \x1b (Printable): cells hold text of users.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // Adds a row and returns its number, for use as the parent of others; `parent` < 0: top level.
  int Add(std::vector<std::string> cells, int parent = -1);
  bool empty() const { return rows_.empty(); }

  // As wide as the terminal allows; into a pipe or a file, as wide as the cells are.
  std::string ToText(bool with_headers = true) const;
  // In at most `width` columns of a terminal, 0: any.  Columns that are `cut` are shortened with
  // "…", the widest first.  Where the last column is one of them, nothing of its text is lost: it
  // continues on further lines, or where the column would be too narrow to read, stands below its
  // row.  Below eight columns (or its title) none is shortened: lines are longer then.
  std::string ToText(bool with_headers, int width) const;
  std::string ToCsv(bool with_headers = true) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    int parent;
  };
  struct ShownLine {
    std::vector<std::string> cells;
    std::string rest;  // of the tree's column, where the row continues on further lines
  };
  using Lines = std::vector<ShownLine>;

  Lines ShownLines(bool with_headers) const;
  // What stands before the cells of a row in the tree's column.
  struct Branch {
    std::string first;
    std::string rest;
  };
  std::vector<Branch> Branches() const;
  std::string LinesBeside(const ShownLine& line, const std::vector<int>& widths) const;
  std::vector<int> Widths(const Lines& lines, int width, size_t columns) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

inline const char* const kDash = "–";

}  // namespace gp
