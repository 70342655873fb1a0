#include "cmd/watch/watch_app.h"

#include <algorithm>

#include "infrastructure/system_clock.h"

namespace gp {
namespace {

constexpr int kKeyWaitMs = 100;
constexpr int kTicksPerSecond = 1000 / kKeyWaitMs;
constexpr size_t kHistory = 30;
constexpr int kEscape = 27;
constexpr int kDelete = 127;
constexpr size_t kFilterMax = 40;

}  // namespace

void WatchApp::Run(const volatile int& stop) {
  int version = -1;
  int quiet = 0;  // rounds without a change: ages are redrawn once a second
  while (!quit_ && stop == 0) {
    const bool news = Act() || feed_.version() != version;
    version = feed_.version();
    if (news || ++quiet >= kTicksPerSecond) {
      quiet = 0;
      Refresh();
      Draw();
    }
    const int key = screen_.Key(kKeyWaitMs);
    if (key == 0) continue;
    OnKey(key);
    Refresh();
    Draw();
  }
}

bool WatchApp::Act() {
  actions_.SetWidth(screen_.width());
  const bool is_new = actions_.Update(SystemClock().BootNs());
  if (actions_.TakeChange()) feed_.Hurry();
  return is_new;
}

const WatchRow* WatchApp::Selected() const {
  return table_.rows.empty() ? nullptr : &table_.rows[static_cast<size_t>(cursor_)];
}

void WatchApp::Refresh() {
  WatchState now = feed_.State();
  if (frozen_) now.data = state_.data;
  state_ = std::move(now);
  table_ = WatchTable{};
  if (state_.data == nullptr) return;
  totals_ = Sum(*state_.data);
  if (counted_ != state_.data.get() && totals_.utilization) {
    utilizations_.push_back(*totals_.utilization);
    if (utilizations_.size() > kHistory) utilizations_.pop_front();
  }
  counted_ = state_.data.get();
  table_ = MakeView(view_, *state_.data);
  widths_ = FitColumns(table_, screen_.width());  // of all rows: a filter moves no column
  Arrange(table_, orders_[static_cast<int>(view_)]);
  // The cursor stays with its row, wherever that went.
  const auto found = std::ranges::find(table_.rows, selected_, &WatchRow::key);
  if (found != table_.rows.end()) cursor_ = static_cast<int>(found - table_.rows.begin());
  Move(0);
}

void WatchApp::Turn(WatchView view) {
  view_ = view;
  cursor_ = first_ = 0;
  selected_.clear();
}

void WatchApp::Move(int rows) {
  const int count = static_cast<int>(table_.rows.size());
  cursor_ = std::clamp(cursor_ + rows, 0, std::max(count - 1, 0));
  const int space = std::max(BodyRows(), 1);
  first_ = std::clamp(first_, std::max(cursor_ - space + 1, 0), cursor_);
  first_ = std::min(first_, std::max(count - space, 0));
  if (count > 0) selected_ = table_.rows[static_cast<size_t>(cursor_)].key;
}

void WatchApp::NextSort() {
  WatchOrder& order = orders_[static_cast<int>(view_)];
  const int columns = static_cast<int>(table_.columns.size());
  do {
    order.column = order.column + 1 >= columns ? -1 : order.column + 1;
  } while (order.column >= 0 && (widths_[static_cast<size_t>(order.column)] == 0 ||
                                 table_.columns[static_cast<size_t>(order.column)].title.empty()));
  // Largest values first: people look for those.
  order.reverse = order.column >= 0 && table_.columns[static_cast<size_t>(order.column)].right;
}

void WatchApp::OnFilterKey(int key) {
  std::string& filter = orders_[static_cast<int>(view_)].filter;
  if (key == '\n' || key == '\r') {
    typing_filter_ = false;
  } else if (key == kEscape) {
    filter.clear();
    typing_filter_ = false;
  } else if (key == WatchScreen::kBackspace || key == kDelete || key == '\b') {
    if (!filter.empty()) filter.pop_back();
  } else if (key >= ' ' && key < kDelete && filter.size() < kFilterMax) {
    filter += static_cast<char>(key);
  }
}

void WatchApp::OnKey(int key) {
  if (key == WatchScreen::kResize) return;
  if (typing_filter_) return OnFilterKey(key);
  if (overlay_ != Overlay::kNone) {
    overlay_ = Overlay::kNone;
    if (key == 'q' || key == kEscape || key == '\n' || key == '?') return;
  }
  if (actions_.OnKey(key, Selected(), state_.data.get())) return;
  OnMoveKey(key);
  OnTableKey(key);
}

void WatchApp::OnMoveKey(int key) {
  for (int view = 0; view < 4; ++view) {
    if (key == WatchScreen::FunctionKey(view + 1) || key == '1' + view)
      return Turn(static_cast<WatchView>(view));
  }
  const int page = std::max(BodyRows() - 1, 1);
  if (key == '\t') Turn(static_cast<WatchView>((static_cast<int>(view_) + 1) % 4));
  if (key == WatchScreen::kUp || key == 'k') Move(-1);
  if (key == WatchScreen::kDown || key == 'j') Move(1);
  if (key == WatchScreen::kPageUp) Move(-page);
  if (key == WatchScreen::kPageDown || key == ' ') Move(page);
  if (key == WatchScreen::kHome || key == 'g') Move(-cursor_);
  if (key == WatchScreen::kEnd || key == 'G') Move(static_cast<int>(table_.rows.size()));
}

void WatchApp::OnTableKey(int key) {
  WatchOrder& order = orders_[static_cast<int>(view_)];
  if (key == 'q') quit_ = true;
  if (key == 's') NextSort();
  if (key == 'r') order.reverse = !order.reverse;
  if (key == 'f') frozen_ = !frozen_ && state_.data != nullptr;
  if (key == '/') typing_filter_ = true;
  if (key == kEscape) order.filter.clear();
  if (key == '?') overlay_ = Overlay::kHelp;
  if (key == '\n' && !table_.rows.empty()) overlay_ = Overlay::kDetails;
}

}  // namespace gp
