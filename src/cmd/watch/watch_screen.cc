#include "cmd/watch/watch_screen.h"

#include <ncurses.h>

#include <cstdlib>

#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

int AttributesOf(const WatchScreen::Style& style) {
  int attributes = 0;
  if (style.bold) attributes |= static_cast<int>(A_BOLD);
  if (style.reverse) attributes |= static_cast<int>(A_REVERSE);
  if (style.level == WatchLevel::kDim) attributes |= static_cast<int>(A_DIM);
  if (style.level != WatchLevel::kPlain && style.level != WatchLevel::kDim && has_colors()) {
    attributes |= COLOR_PAIR(static_cast<int>(style.level));
  }
  return attributes;
}

void ChooseColors() {
  if (std::getenv("NO_COLOR") != nullptr || !has_colors()) return;
  start_color();
  use_default_colors();
  init_pair(static_cast<short>(WatchLevel::kGood), COLOR_GREEN, -1);
  init_pair(static_cast<short>(WatchLevel::kBusy), COLOR_CYAN, -1);
  init_pair(static_cast<short>(WatchLevel::kWarn), COLOR_YELLOW, -1);
  init_pair(static_cast<short>(WatchLevel::kBad), COLOR_RED, -1);
}

}  // namespace

const int WatchScreen::kUp = KEY_UP;
const int WatchScreen::kDown = KEY_DOWN;
const int WatchScreen::kPageUp = KEY_PPAGE;
const int WatchScreen::kPageDown = KEY_NPAGE;
const int WatchScreen::kHome = KEY_HOME;
const int WatchScreen::kEnd = KEY_END;
const int WatchScreen::kResize = KEY_RESIZE;
const int WatchScreen::kBackspace = KEY_BACKSPACE;
int WatchScreen::FunctionKey(int number) { return KEY_F(number); }

Result<std::unique_ptr<WatchScreen>> WatchScreen::Open() {
  if (newterm(nullptr, stdout, stdin) == nullptr) {
    return Fail(
        Unsupported("this terminal cannot show a full screen (TERM); --once prints one screen"));
  }
  std::unique_ptr<WatchScreen> screen(new WatchScreen());
  ChooseColors();
  cbreak();
  noecho();
  curs_set(0);
  keypad(stdscr, TRUE);
  set_escdelay(50);
  return screen;
}

WatchScreen::~WatchScreen() { endwin(); }

int WatchScreen::width() const { return getmaxx(stdscr); }
int WatchScreen::height() const { return getmaxy(stdscr); }
void WatchScreen::Clear() { erase(); }

void WatchScreen::Put(int row, int column, const std::string& text, const Style& style) {
  const int space = width() - column;
  if (row < 0 || row >= height() || space <= 0) return;
  const std::string shown = TextWidth(text) > space ? FitText(text, space) : text;
  const auto attributes = static_cast<attr_t>(AttributesOf(style));
  attron(attributes);
  mvaddstr(row, column, ForLocale(shown).c_str());
  attroff(attributes);
}

void WatchScreen::Show() { refresh(); }

int WatchScreen::Key(int wait_ms) {
  timeout(wait_ms);
  const int key = getch();
  return key == ERR ? 0 : key;
}

}  // namespace gp
