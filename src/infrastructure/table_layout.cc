#include "infrastructure/table_layout.h"

#include <algorithm>

#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

constexpr int kSeparator = 2;     // blanks between two columns
constexpr int kLeast = 8;         // a shortened column is at least as wide
constexpr int kComfortable = 16;  // columns are left out before others become narrower than this
constexpr int kReadable = 24;     // and text of several lines at least this
constexpr int kIndent = 4;        // of what stands below its row

// What stands below its row, which continues with `rest`.
std::string Below(const std::string& cell, const std::string& rest, int width) {
  std::string text;
  if (cell.empty()) return text;
  const std::string indent = FitText(rest, std::max(kIndent, TextWidth(rest) + 1));
  for (const std::string& part : FoldText(cell, std::max(width - TextWidth(indent), kReadable)))
    text += indent + part + "\n";
  return text;
}

class Layout {
 public:
  Layout(std::vector<Column> columns, std::vector<TableLine> lines, int width, bool colors)
      : columns_(std::move(columns)), lines_(std::move(lines)), width_(width), colors_(colors) {}

  void DropColumns() {
    while (width_ > 0 && ComfortableWidth() > width_) {
      const auto first = std::ranges::max_element(columns_, {}, &Column::drop);
      if (first->drop == 0) return;
      const auto at = first - columns_.begin();
      columns_.erase(first);
      for (TableLine& line : lines_) line.cells.erase(line.cells.begin() + at);
    }
  }

  std::string Text() const {
    std::vector<int> widths = Widths(columns_.size());
    const bool is_below = columns_.size() > 1 && columns_.back().cut &&
                          widths.back() < std::min(FullWidth(columns_.size() - 1), kReadable);
    if (is_below) widths = Widths(columns_.size() - 1);
    std::string text;
    for (const TableLine& line : lines_) {
      text += is_below ? Line(line.cells, widths, line.is_header) : Beside(line, widths);
      if (is_below && !line.is_header) text += Below(line.cells.back(), line.rest, width_);
    }
    return text;
  }

 private:
  int FullWidth(size_t column) const {
    int width = 0;
    for (const TableLine& line : lines_) width = std::max(width, TextWidth(line.cells[column]));
    return width;
  }

  int Least(size_t column, int least) const {
    return columns_[column].cut ? std::max(least, TextWidth(columns_[column].title)) : 1 << 20;
  }

  // With every cell as short as is comfortable; the last column may stand below.
  int ComfortableWidth() const {
    const size_t last = columns_.size() - 1;
    const size_t beside = columns_.back().cut && last > 0 ? last : columns_.size();
    int width = kSeparator * (static_cast<int>(beside) - 1);
    for (size_t c = 0; c < beside; ++c) width += std::min(FullWidth(c), Least(c, kComfortable));
    return width;
  }

  // Of the first `count` columns.
  std::vector<int> Widths(size_t count) const {
    std::vector<int> widths(count, 0);
    for (size_t c = 0; c < count; ++c) widths[c] = FullWidth(c);
    if (width_ <= 0) return widths;
    int over = kSeparator * (static_cast<int>(count) - 1) - width_;
    for (const int column : widths) over += column;
    for (; over > 0; --over) {
      int* widest = nullptr;
      for (size_t c = 0; c < count; ++c) {
        if (widths[c] > Least(c, kLeast) && (widest == nullptr || widths[c] > *widest))
          widest = &widths[c];
      }
      if (widest == nullptr) break;
      --*widest;
    }
    return widths;
  }

  // The cell in its width, coloured without its padding.
  std::string Fitted(const std::string& cell, size_t column, int width, bool is_header) const {
    std::string text = FitText(cell, width, columns_[column].right);
    const auto color = columns_[column].color;
    const std::string_view code = colors_ && !is_header && color != nullptr ? color(cell) : "";
    if (code.empty()) return text;
    const size_t begin = text.find_first_not_of(' ');
    const size_t end = text.find_last_not_of(' ') + 1;
    return text.substr(0, begin) + "\x1b[" + std::string(code) + "m" +
           text.substr(begin, end - begin) + "\x1b[0m" + text.substr(end);
  }

  // The cells for which there are widths.
  std::string Line(const std::vector<std::string>& cells, const std::vector<int>& widths,
                   bool is_header) const {
    std::string line;
    for (size_t i = 0; i < widths.size(); ++i) {
      if (i > 0) line.append(kSeparator, ' ');
      line += Fitted(cells[i], i, widths[i], is_header);
    }
    return ForLocale(line.substr(0, line.find_last_not_of(' ') + 1)) + "\n";
  }

  // A row whose last column continues on further lines.
  std::string Beside(const TableLine& line, const std::vector<int>& widths) const {
    std::vector<std::string> cells = line.cells;
    if (!columns_.back().cut) return Line(cells, widths, line.is_header);
    std::string text;
    for (std::string& part : FoldText(line.cells.back(), widths.back())) {
      cells.back() = std::move(part);
      text += Line(cells, widths, line.is_header);
      for (size_t c = 0; c < cells.size(); ++c) cells[c] = columns_[c].tree ? line.rest : "";
    }
    return text;
  }

  std::vector<Column> columns_;
  std::vector<TableLine> lines_;
  int width_;
  bool colors_;
};

}  // namespace

std::string LayOut(std::vector<Column> columns, std::vector<TableLine> lines, int width,
                   bool may_drop, bool colors) {
  Layout layout(std::move(columns), std::move(lines), width, colors);
  if (may_drop) layout.DropColumns();
  return layout.Text();
}

}  // namespace gp
