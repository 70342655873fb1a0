#include "cmd/watch/watch_table.h"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

constexpr int kExtra = 5;     // less important columns come only where all others have their width
constexpr int kBarFirst = 6;  // a bar's length before extras come

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool Matches(const WatchRow& row, const std::string& filter) {
  return std::ranges::any_of(row.cells, [&](const WatchCell& cell) {
    return Lower(cell.text).find(filter) != std::string::npos;
  });
}

// Unknown values come last, however sorted.
bool Before(const WatchCell& a, const WatchCell& b, bool reverse) {
  const bool a_unknown = !a.rank && a.text == "–";
  const bool b_unknown = !b.rank && b.text == "–";
  if (a_unknown != b_unknown) return b_unknown;
  if (a.rank && b.rank) return reverse ? *b.rank < *a.rank : *a.rank < *b.rank;
  return reverse ? b.text < a.text : a.text < b.text;
}

int Sum(const std::vector<int>& widths) {
  const int shown = static_cast<int>(std::ranges::count_if(widths, [](int w) { return w > 0; }));
  return std::accumulate(widths.begin(), widths.end(), 0) + std::max(shown - 1, 0);
}

bool HasBar(const WatchTable& table, size_t column) {
  return !table.rows.empty() && std::ranges::any_of(table.rows, [&](const WatchRow& row) {
    return row.cells[column].fill.has_value();
  });
}

bool IsSilent(const WatchTable& table, size_t column) {
  return std::ranges::all_of(table.rows,
                             [&](const WatchRow& row) { return row.cells[column].text.empty(); });
}

// As wide as its content, within the column's bounds.
int TextNeed(const WatchTable& table, size_t column) {
  const WatchColumn& c = table.columns[column];
  int need = std::max(c.width_min, TextWidth(c.title));
  for (const WatchRow& row : table.rows) need = std::max(need, TextWidth(row.cells[column].text));
  return std::min(need, c.width_max);
}

// Takes columns out, the least important first, until the rest fits.
void DropLeast(const WatchTable& table, int width, std::vector<int>& widths) {
  while (Sum(widths) > width) {
    size_t least = widths.size();
    for (size_t i = 0; i < widths.size(); ++i) {
      const bool less =
          least == widths.size() || table.columns[i].importance < table.columns[least].importance;
      if (widths[i] > 0 && less) least = i;
    }
    if (least == 0 || least == widths.size()) return;  // the first column stays
    widths[least] = 0;
  }
}

// Gives what is left to those that want more, one column of the screen at a time.
void Spread(const WatchTable& table, int spare, const std::vector<int>& wanted,
            std::vector<int>& widths) {
  std::vector<size_t> turns(widths.size());
  std::iota(turns.begin(), turns.end(), 0);
  std::ranges::stable_sort(turns, [&](size_t a, size_t b) {
    return table.columns[a].importance > table.columns[b].importance;
  });
  for (bool grew = true; grew && spare > 0;) {
    grew = false;
    for (const size_t i : turns) {
      if (spare <= 0 || widths[i] == 0 || widths[i] >= wanted[i]) continue;
      ++widths[i];
      --spare;
      grew = true;
    }
  }
}

}  // namespace

void Arrange(WatchTable& table, const WatchOrder& order) {
  if (!order.filter.empty()) {
    const std::string filter = Lower(order.filter);
    std::erase_if(table.rows, [&](const WatchRow& row) { return !Matches(row, filter); });
    if (table.rows.empty()) table.empty = "nothing matches \"" + order.filter + "\"";
  }
  if (order.column < 0 || order.column >= static_cast<int>(table.columns.size())) return;
  const auto column = static_cast<size_t>(order.column);
  std::ranges::stable_sort(table.rows, [&](const WatchRow& a, const WatchRow& b) {
    return Before(a.cells[column], b.cells[column], order.reverse);
  });
}

std::vector<int> FitColumns(const WatchTable& table, int width) {
  const size_t count = table.columns.size();
  std::vector<int> wanted(count);
  std::vector<int> widths(count);
  std::vector<size_t> extras;
  for (size_t i = 0; i < count; ++i) {
    const WatchColumn& column = table.columns[i];
    wanted[i] = HasBar(table, i) ? column.width_min + kBarFirst : TextNeed(table, i);
    if (column.optional && IsSilent(table, i)) continue;
    if (column.importance < kExtra) {
      extras.push_back(i);
    } else {
      widths[i] = column.whole ? wanted[i] : std::max(column.width_min, TextWidth(column.title));
    }
  }
  DropLeast(table, width, widths);
  Spread(table, width - Sum(widths), wanted, widths);
  std::ranges::stable_sort(extras, [&](size_t a, size_t b) {
    return table.columns[a].importance > table.columns[b].importance;
  });
  for (const size_t i : extras) {
    if (Sum(widths) + 1 + wanted[i] <= width) widths[i] = wanted[i];
  }
  // Bars take what nothing else wants.
  for (size_t i = 0; i < count; ++i) {
    if (HasBar(table, i)) wanted[i] = table.columns[i].width_max;
  }
  Spread(table, width - Sum(widths), wanted, widths);
  return widths;
}

}  // namespace gp
