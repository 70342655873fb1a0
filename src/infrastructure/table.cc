#include "infrastructure/table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "base/text.h"
#include "infrastructure/table_layout.h"
#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

// "GPU-HOURS", "gpu hours" and "gpu_hours" are the same.
std::string Folded(std::string_view title) {
  std::string text(title);
  for (char& c : text) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    c = c == ' ' || c == '_' ? '-' : static_cast<char>(is_upper ? c - 'A' + 'a' : c);
  }
  return text;
}

// "– of 80 GiB" too.
bool IsUnknown(const Cell& cell) {
  return cell.text.empty() || cell.text == kDash ||
         cell.text.starts_with(kDash + std::string(" of "));
}

bool IsLess(const Cell& a, const Cell& b) {
  return a.value && b.value ? *a.value < *b.value : NaturalLess(a.text, b.text);
}

std::string Quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\n\r") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

// As few digits as tell it from its neighbours: "90", "0.5".
std::string ShortestText(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

std::string InCsv(const Cell& cell) {
  if (cell.value) return ShortestText(*cell.value);
  return IsUnknown(cell) ? "" : Quoted(cell.text);
}

}  // namespace

int Table::Add(Cells cells, int parent) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), parent});
  return static_cast<int>(rows_.size()) - 1;
}

Result<size_t> Table::FindColumn(std::string_view title) const {
  std::vector<std::string> titles;
  for (size_t c = 0; c < columns_.size(); ++c) {
    if (Folded(columns_[c].title) == Folded(title)) return c;
    titles.push_back(Folded(columns_[c].title));
  }
  const auto near = Nearest(Folded(title), titles);
  return Fail(InvalidArgument("no column \"" + Printable(title, 60) + "\"" +
                              (near ? "; did you mean " + *near + "?" : "") +
                              "; columns: " + Join(titles, ",")));
}

Result<std::vector<size_t>> Table::ShownColumns(const TableView& view, bool with_wide) const {
  std::vector<size_t> shown;
  for (const std::string& title : view.columns) shown.push_back(GP_TRY(FindColumn(title)));
  for (size_t c = 0; c < columns_.size() && view.columns.empty(); ++c) {
    if (with_wide || !columns_[c].wide) shown.push_back(c);
  }
  return shown;
}

// Unknown values are last in both orders.
Result<std::vector<size_t>> Table::RowOrder(const TableView& view) const {
  std::vector<size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0);
  if (view.sort.empty()) return order;
  const bool is_reverse = view.sort.starts_with('-');
  const size_t column = GP_TRY(FindColumn(std::string_view(view.sort).substr(is_reverse ? 1 : 0)));
  const bool is_nested = std::ranges::any_of(rows_, [](const Row& row) { return row.parent >= 0; });
  if (is_nested) return Fail(InvalidArgument("rows below others keep their order"));
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    const Cell& first = rows_[a].cells[column];
    const Cell& second = rows_[b].cells[column];
    if (IsUnknown(first) != IsUnknown(second)) return IsUnknown(second);
    return is_reverse ? IsLess(second, first) : IsLess(first, second);
  });
  return order;
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

Result<std::string> Table::ToText(const TableView& view) const {
  const std::vector<size_t> shown = GP_TRY(ShownColumns(view, view.wide));
  const std::vector<size_t> order = GP_TRY(RowOrder(view));
  if (rows_.empty() || shown.empty()) return std::string();
  const auto text_of = [](const std::string& text) {
    return ForLocale(Printable(text, std::string::npos));
  };
  std::vector<Column> columns;
  for (const size_t c : shown) columns.push_back(columns_[c]);
  std::vector<TableLine> lines;
  if (view.headers) {
    TableLine& titles = lines.emplace_back();
    titles.is_header = true;
    for (const Column& column : columns) titles.cells.push_back(text_of(column.title));
  }
  const std::vector<Branch> branches = Branches();
  for (const size_t row : order) {
    TableLine& line = lines.emplace_back();
    line.rest = ForLocale(branches[row].rest);
    for (const size_t c : shown)
      line.cells.push_back((columns_[c].tree ? ForLocale(branches[row].first) : "") +
                           text_of(rows_[row].cells[c].text));
  }
  return LayOut(std::move(columns), std::move(lines), view.width, view.columns.empty(),
                view.colors);
}

std::string Table::ToText(bool with_headers, int width) const {
  return *ToText({.headers = with_headers, .width = width});
}

std::string Table::ToText() const { return ToText(true, WidthOfTerminal()); }

Result<std::string> Table::ToCsv(const TableView& view) const {
  const std::vector<size_t> shown = GP_TRY(ShownColumns(view, true));
  std::string text;
  const auto add = [&](auto text_of) {
    for (size_t i = 0; i < shown.size(); ++i) text += (i == 0 ? "" : ",") + text_of(shown[i]);
    text += "\n";
  };
  if (view.headers) add([&](size_t c) { return Quoted(columns_[c].title); });
  for (const size_t row : GP_TRY(RowOrder(view)))
    add([&](size_t c) { return InCsv(rows_[row].cells[c]); });
  return text;
}

}  // namespace gp
