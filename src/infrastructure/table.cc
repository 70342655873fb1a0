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

std::string Line(const std::vector<std::string>& cells, const std::vector<Column>& columns,
                 const std::vector<int>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line.append(kSeparator, ' ');
    line += FitText(cells[i], widths[i], columns[i].right);
  }
  return ForLocale(line.substr(0, line.find_last_not_of(' ') + 1)) + "\n";
}

}  // namespace

int Table::Add(std::vector<std::string> cells, int parent) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), parent});
  return static_cast<int>(rows_.size()) - 1;
}

// For each row, what stands before its cell in the column that shows the nesting.
std::vector<std::string> Table::Branches() const {
  std::vector<int> last_child(rows_.size(), -1);
  int last_top = -1;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const int parent = rows_[i].parent;
    (parent < 0 ? last_top : last_child[static_cast<size_t>(parent)]) = static_cast<int>(i);
  }
  // What the children of each row begin with.
  std::vector<std::string> below(rows_.size());
  std::vector<std::string> branches(rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].parent < 0) continue;
    const auto parent = static_cast<size_t>(rows_[i].parent);
    const bool last = last_child[parent] == static_cast<int>(i);
    branches[i] = below[parent] + (last ? "└─" : "├─");
    below[i] = below[parent] + (last ? "  " : "│ ");
  }
  return branches;
}

Table::Lines Table::ShownLines(bool with_headers) const {
  Lines lines;
  if (with_headers) {
    std::vector<std::string>& titles = lines.emplace_back();
    for (const Column& column : columns_) titles.push_back(ForLocale(column.title));
  }
  const std::vector<std::string> branches = Branches();
  for (size_t i = 0; i < rows_.size(); ++i) {
    std::vector<std::string>& line = lines.emplace_back();
    for (size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell = Printable(rows_[i].cells[c], std::string::npos);
      line.push_back(ForLocale(columns_[c].tree ? branches[i] + cell : cell));
    }
  }
  return lines;
}

std::vector<int> Table::Widths(const Lines& lines, int width) const {
  std::vector<int> widths(columns_.size(), 0);
  for (const std::vector<std::string>& line : lines)
    for (size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], TextWidth(line[c]));
  if (width <= 0) return widths;
  int over = kSeparator * (static_cast<int>(columns_.size()) - 1) - width;
  for (const int column : widths) over += column;
  for (; over > 0; --over) {
    int widest = -1;
    for (size_t c = 0; c < columns_.size(); ++c) {
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
  const std::vector<int> widths = Widths(lines, width);
  std::string text;
  for (const std::vector<std::string>& line : lines) {
    if (!columns_.back().cut || TextWidth(line.back()) <= widths.back()) {
      text += Line(line, columns_, widths);
      continue;
    }
    std::vector<std::string> cells = line;
    for (std::string& part : Wrapped(line.back(), widths.back())) {
      cells.back() = std::move(part);
      text += Line(cells, columns_, widths);
      std::ranges::fill(cells, "");
    }
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
