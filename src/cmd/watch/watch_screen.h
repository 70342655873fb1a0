#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "cmd/watch/watch_table.h"

namespace gp {

// The terminal as a grid of styled text, drawn by ncurses, which sends only what has changed. The
// terminal is restored however the program ends.
class WatchScreen {
 public:
  // kUnsupported: the terminal cannot show a full screen.
  static Result<std::unique_ptr<WatchScreen>> Open();
  ~WatchScreen();
  WatchScreen(const WatchScreen&) = delete;
  WatchScreen& operator=(const WatchScreen&) = delete;

  int width() const;
  int height() const;
  void Clear();
  struct Style {
    WatchLevel level = WatchLevel::kPlain;
    bool bold = false;
    bool reverse = false;
  };
  // What does not fit into the line is cut.
  void Put(int row, int column, const std::string& text, const Style& style);
  void Show();
  // A key, or 0 after `wait_ms` without one.  Keys beyond ASCII: the constants below.
  int Key(int wait_ms);

  static const int kUp, kDown, kPageUp, kPageDown, kHome, kEnd, kResize, kBackspace;
  static int FunctionKey(int number);

 private:
  WatchScreen() = default;
};

}  // namespace gp
