#include "infrastructure/table.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

constexpr int kSeparator = 2;  // blanks between two columns
constexpr int kLeast = 8;      // a shortened column is at least as wide
constexpr int kReadable = 24;  // and text of several lines at least this
constexpr int kIndent = 4;     // of what stands below its row

// 0: unknown, as for a pipe or a file.
int WidthOfTerminal() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// Breaks the text at blanks; a word that is wider than a line is broken itself.
std::vector<std::string> Wrapped(const std::string& text, int width) {
  std::vector<std::string> lines;
  std::string rest = text;
  while (TextWidth(rest) > width) {
    const std::string begin = BeginOfText(rest, width);
    const bool at_word = rest[begin.size()] == ' ';
    const size_t blank = at_word ? begin.size() : begin.rfind(' ');
    const bool no_blank = blank == std::string::npos || blank == 0;
    lines.push_back(no_blank ? begin : rest.substr(0, blank));
    rest = rest.substr(no_blank ? begin.size() : blank + 1);
  }
  lines.push_back(std::move(rest));
  return lines;
}

// The cells for which there are widths.
std::string Line(const std::vector<std::string>& cells, const std::vector<Column>& columns,
                 const std::vector<int>& widths) {
  std::string line;
  for (size_t i = 0; i < widths.size(); ++i) {
    if (i > 0) line.append(kSeparator, ' ');
    line += FitText(cells[i], widths[i], columns[i].right);
  }
  return ForLocale(line.substr(0, line.find_last_not_of(' ') + 1)) + "\n";
}

// What stands below its row, which continues with `rest`.
std::string Below(const std::string& cell, const std::string& rest, int width) {
  std::string text;
  if (cell.empty()) return text;
  const std::string indent = FitText(rest, std::max(kIndent, TextWidth(rest) + 1));
  for (const std::string& part : Wrapped(cell, std::max(width - TextWidth(indent), kReadable)))
    text += indent + part + "\n";
  return text;
}

}  // namespace

int Table::Add(std::vector<std::string> cells, int parent) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), parent});
  return static_cast<int>(rows_.size()) - 1;
}

std::vector<Table::Branch> Table::Branches() const {
  std::vector<int> last_child(rows_.size(), -1);
  for (size_t i = 0; i < rows_.size(); ++i)
    if (rows_[i].parent >= 0)
      last_child[static_cast<size_t>(rows_[i].parent)] = static_cast<int>(i);
  std::vector<std::string> below(rows_.size());  // what the children of each row begin with
  std::vector<Branch> branches(rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].parent >= 0) {
      const auto parent = static_cast<size_t>(rows_[i].parent);
      const bool last = last_child[parent] == static_cast<int>(i);
      branches[i].first = below[parent] + (last ? "└─" : "├─");
      below[i] = below[parent] + (last ? "  " : "│ ");
    }
    branches[i].rest = below[i] + (last_child[i] >= 0 ? "│" : "");
  }
  return branches;
}

Table::Lines Table::ShownLines(bool with_headers) const {
  const auto shown = [](const std::string& text) {
    return ForLocale(Printable(text, std::string::npos));
  };
  Lines lines;
  if (with_headers) {
    ShownLine& titles = lines.emplace_back();
    for (const Column& column : columns_) titles.cells.push_back(shown(column.title));
  }
  const std::vector<Branch> branches = Branches();
  for (size_t i = 0; i < rows_.size(); ++i) {
    ShownLine& line = lines.emplace_back();
    line.rest = ForLocale(branches[i].rest);
    for (size_t c = 0; c < columns_.size(); ++c)
      line.cells.push_back((columns_[c].tree ? ForLocale(branches[i].first) : "") +
                           shown(rows_[i].cells[c]));
  }
  return lines;
}

// Of the first `columns`.
std::vector<int> Table::Widths(const Lines& lines, int width, size_t columns) const {
  std::vector<int> widths(columns, 0);
  for (const ShownLine& line : lines)
    for (size_t c = 0; c < columns; ++c) widths[c] = std::max(widths[c], TextWidth(line.cells[c]));
  if (width <= 0) return widths;
  int over = kSeparator * (static_cast<int>(columns) - 1) - width;
  for (const int column : widths) over += column;
  for (; over > 0; --over) {
    int widest = -1;
    for (size_t c = 0; c < columns; ++c) {
      const bool gives_way =
          columns_[c].cut && widths[c] > std::max(kLeast, TextWidth(columns_[c].title));
      if (gives_way && (widest < 0 || widths[c] > widths[static_cast<size_t>(widest)]))
        widest = static_cast<int>(c);
    }
    if (widest < 0) break;
    --widths[static_cast<size_t>(widest)];
  }
  return widths;
}

std::string Table::ToText(bool with_headers) const {
  return ToText(with_headers, WidthOfTerminal());
}

std::string Table::ToText(bool with_headers, int width) const {
  if (rows_.empty() || columns_.empty()) return "";
  const Lines lines = ShownLines(with_headers);
  std::vector<int> widths = Widths(lines, width, columns_.size());
  const int wanted = Widths(lines, 0, columns_.size()).back();
  const bool is_below = columns_.size() > 1 && widths.back() < std::min(wanted, kReadable);
  if (is_below) widths = Widths(lines, width, columns_.size() - 1);
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    const ShownLine& line = lines[i];
    const bool is_header = with_headers && i == 0;
    text += is_below ? Line(line.cells, columns_, widths) : LinesBeside(line, widths);
    if (is_below && !is_header) text += Below(line.cells.back(), line.rest, width);
  }
  return text;
}

// A row whose last column continues on further lines.
std::string Table::LinesBeside(const ShownLine& line, const std::vector<int>& widths) const {
  std::vector<std::string> cells = line.cells;
  if (!columns_.back().cut) return Line(cells, columns_, widths);
  std::string text;
  for (std::string& part : Wrapped(line.cells.back(), widths.back())) {
    cells.back() = std::move(part);
    text += Line(cells, columns_, widths);
    for (size_t c = 0; c < cells.size(); ++c) cells[c] = columns_[c].tree ? line.rest : "";
  }
  return text;
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
