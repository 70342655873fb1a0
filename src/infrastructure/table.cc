#include "infrastructure/table.h"

#include <libsmartcols/libsmartcols.h>
#include <unistd.h>

#include <cstdlib>

#include "infrastructure/terminal_text.h"

namespace gp {

int Table::Add(std::vector<std::string> cells, int parent) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), parent});
  return static_cast<int>(rows_.size()) - 1;
}

std::string Table::ToText(bool with_headers) const {
  libscols_table* table = scols_new_table();
  for (const Column& column : columns_) {
    int flags = (column.right ? SCOLS_FL_RIGHT : 0) | (column.tree ? SCOLS_FL_TREE : 0) |
                (column.cut ? SCOLS_FL_TRUNC : 0);
    scols_table_new_column(table, ForLocale(column.title).c_str(), 0, flags);
  }
  scols_table_enable_noheadings(table, with_headers ? 0 : 1);
  scols_table_set_column_separator(table, "  ");
  // A pipe has no width: output for programs is not shortened.
  if (isatty(STDOUT_FILENO) == 0) scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
  std::vector<libscols_line*> lines;
  for (const Row& row : rows_) {
    libscols_line* parent = row.parent < 0 ? nullptr : lines[static_cast<size_t>(row.parent)];
    libscols_line* line = scols_table_new_line(table, parent);
    for (size_t i = 0; i < row.cells.size(); ++i)
      scols_line_set_data(line, i, ForLocale(row.cells[i]).c_str());
    lines.push_back(line);
  }
  char* text = nullptr;
  scols_print_table_to_string(table, &text);
  std::string result = text == nullptr ? "" : text;
  std::free(text);
  scols_unref_table(table);
  if (!result.empty() && result.back() != '\n') result += '\n';
  return result;
}

std::string Table::ToCsv(bool with_headers) const {
  const auto quote = [](const std::string& cell) {
    if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
    std::string quoted = "\"";
    for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + "\"";
  };
  std::string text;
  const auto add = [&](auto begin, auto end, auto cell_of) {
    for (auto it = begin; it != end; ++it) text += (it == begin ? "" : ",") + quote(cell_of(*it));
    text += "\n";
  };
  if (with_headers) add(columns_.begin(), columns_.end(), [](const Column& c) { return c.title; });
  for (const Row& row : rows_)
    add(row.cells.begin(), row.cells.end(), [](const std::string& c) { return c; });
  return text;
}

}  // namespace gp
