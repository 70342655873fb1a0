#pragma once

#include <deque>
#include <memory>
#include <string>

#include "cmd/watch/watch_actions.h"
#include "cmd/watch/watch_feed.h"
#include "cmd/watch/watch_screen.h"

namespace gp {

// The full-screen `watch`: keys, content and layout. What changes something is in WatchActions.
class WatchApp {
 public:
  WatchApp(WatchScreen& screen, WatchFeed& feed, WatchCaller& caller, Duration interval)
      : screen_(screen), feed_(feed), interval_(ToText(interval)), actions_(caller, interval) {}

  // Runs until q, or until a signal sets `stop`.
  void Run(const volatile int& stop);

 private:
  enum class Overlay { kNone, kHelp, kDetails };

  // watch_app.cc: handling of keys.
  void OnKey(int key);
  void OnTableKey(int key);
  void OnMoveKey(int key);
  void OnFilterKey(int key);
  void Turn(WatchView view);
  void Move(int rows);
  void NextSort();
  void Refresh();
  // Takes answers; true: they are to be drawn.
  bool Act();
  const WatchRow* Selected() const;

  // watch_draw.cc: drawing.
  void Draw();
  void DrawHead();
  void DrawTabs();
  void DrawBanner(int row);
  void DrawRows(int top, int bottom);
  void DrawRow(int line, const WatchRow& row, bool selected);

  // watch_draw_over.cc: what stands over the table or in place of it.
  void DrawOverlay();
  void DrawPane();
  void DrawFoot();
  std::string FootKeys(int width) const;
  std::string PlaceText() const;

  int BodyTop() const { return state_.trouble.empty() ? 4 : 5; }
  int BodyRows() const;

  WatchScreen& screen_;
  WatchFeed& feed_;
  const std::string interval_;
  WatchActions actions_;

  WatchState state_;
  WatchTotals totals_;
  std::deque<double> utilizations_;     // of the last ticks
  const WatchData* counted_ = nullptr;  // the data that utilizations_ ends with
  WatchView view_ = WatchView::kGpus;
  WatchOrder orders_[4];
  WatchTable table_;
  std::vector<int> widths_;
  std::string selected_;  // key of the row under the cursor
  int cursor_ = 0;
  int first_ = 0;         // row at the top
  WatchPane::Part part_;  // of the page that is drawn
  bool frozen_ = false;
  double frozen_age_ = 0;
  bool typing_filter_ = false;
  bool quit_ = false;
  Overlay overlay_ = Overlay::kNone;
};

}  // namespace gp
