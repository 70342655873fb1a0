#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/text.h"
#include "cmd/text/job_text.h"
#include "cmd/watch/watch_app.h"
#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

constexpr WatchScreen::Style kBold{WatchLevel::kPlain, true, false};
constexpr WatchScreen::Style kDim{WatchLevel::kDim, false, false};
constexpr WatchScreen::Style kReverse{WatchLevel::kPlain, false, true};
constexpr int kStaleSeconds = 5;
constexpr const char* kViewNames[] = {"GPUs", "Jobs", "Queue", "Nodes"};

std::string TimeText() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", &local);
  return text;
}

// A bar and its value, in one cell.
std::string CellText(const WatchCell& cell, const WatchColumn& column, int width) {
  const int value = std::max(TextWidth(cell.text), 4);
  if (!cell.fill || width < value + 4) return FitText(cell.text, width, column.right);
  return BarText(*cell.fill, width - value - 1) + " " + FitText(cell.text, value, true);
}

}  // namespace

int WatchApp::BodyRows() const { return screen_.height() - BodyTop() - 1; }

void WatchApp::Draw() {
  screen_.Clear();
  DrawHead();
  DrawTabs();
  if (!state_.trouble.empty()) DrawBanner(3);
  if (actions_.pane() != nullptr) {
    DrawPane();
  } else {
    DrawRows(BodyTop() - 1, screen_.height() - 1);
  }
  DrawFoot();
  if (overlay_ != Overlay::kNone) DrawOverlay();
  screen_.Show();
}

void WatchApp::DrawHead() {
  std::string live = "every " + interval_;
  if (frozen_) live = "FROZEN";
  if (!state_.trouble.empty()) live = "AWAY";
  const std::string counts = state_.data == nullptr ? "" : CountsText(totals_, *state_.data);
  std::string left = fmt::format("gpu-platform  {}  {}", TimeText(), live);
  if (TextWidth(left) + 2 + TextWidth(counts) > screen_.width()) left = TimeText() + "  " + live;
  screen_.Put(0, 0, left, kBold);
  if (state_.data == nullptr) return;
  const int column = std::max(TextWidth(left) + 2, screen_.width() - TextWidth(counts));
  screen_.Put(0, column, counts, {});
  screen_.Put(1, 0, LoadText(totals_, utilizations_), {});
}

void WatchApp::DrawTabs() {
  int column = 0;
  const bool known = state_.data != nullptr;  // else there is nothing to count, which is not 0
  const int counts[] = {totals_.gpus, totals_.running, totals_.waiting,
                        known ? state_.data->cluster.nodes_size() : 0};
  for (int view = 0; view < 4; ++view) {
    const std::string count = known ? std::to_string(counts[view]) + " " : "";
    const std::string text = fmt::format(" F{} {} {}", view + 1, kViewNames[view], count);
    screen_.Put(2, column, text,
                static_cast<WatchView>(view) == view_ ? kReverse : WatchScreen::Style{});
    column += TextWidth(text) + 1;
  }
  const WatchOrder& order = orders_[static_cast<int>(view_)];
  std::string right;
  if (order.column >= 0 && !table_.columns.empty()) {
    right = "sort: " + table_.columns[static_cast<size_t>(order.column)].title +
            (order.reverse ? " ▼" : " ▲");
  }
  if (!order.filter.empty() || typing_filter_) {
    right += fmt::format("{}filter: {}{}", right.empty() ? "" : "  ", order.filter,
                         typing_filter_ ? "_" : "");
  }
  screen_.Put(2, std::max(column + 1, screen_.width() - TextWidth(right)), right,
              typing_filter_ ? kBold : kDim);
}

void WatchApp::DrawBanner(int row) {
  const std::string age = state_.data == nullptr
                              ? "no data yet"
                              : fmt::format("data is {:.0f} s old", state_.age_seconds);
  const std::string text =
      fmt::format("! no answer, {}, next try in {:.0f} s: {}", age, state_.retry_seconds,
                  Printable(state_.trouble.substr(0, state_.trouble.find(" (")), 300));
  screen_.Put(row, 0, FitText(text, screen_.width()), {WatchLevel::kBad, true, true});
}

void WatchApp::DrawRows(int top, int bottom) {
  if (state_.data == nullptr) return;
  int column = 0;
  for (size_t i = 0; i < table_.columns.size(); ++i) {
    if (widths_[i] == 0) continue;
    screen_.Put(top, column, FitText(table_.columns[i].title, widths_[i], table_.columns[i].right),
                kBold);
    column += widths_[i] + 1;
  }
  if (table_.rows.empty()) screen_.Put(top + 2, 2, table_.empty, kDim);
  for (int line = top + 1; line < bottom; ++line) {
    const int index = first_ + line - top - 1;
    if (index >= static_cast<int>(table_.rows.size())) break;
    DrawRow(line, table_.rows[static_cast<size_t>(index)], index == cursor_);
  }
}

void WatchApp::DrawRow(int line, const WatchRow& row, bool selected) {
  const bool stale = state_.age_seconds > kStaleSeconds && !state_.trouble.empty();
  int column = 0;
  for (size_t i = 0; i < row.cells.size(); ++i) {
    if (widths_[i] == 0) continue;
    WatchScreen::Style style{stale ? WatchLevel::kDim : row.cells[i].level, false, selected};
    std::string text = CellText(row.cells[i], table_.columns[i], widths_[i]);
    const bool last = column + widths_[i] >= screen_.width();
    if (selected && !last) text += " ";  // one unbroken line
    screen_.Put(line, column, text, style);
    column += widths_[i] + 1;
  }
}

}  // namespace gp
