#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cmd/watch/watch_app.h"
#include "cmd/watch/watch_foot.h"
#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

constexpr WatchScreen::Style kOverlay{WatchLevel::kPlain, false, true};
constexpr WatchScreen::Style kQuiet{WatchLevel::kDim, false, false};
constexpr size_t kFootMax = 4;  // lines of a question or an outcome

const std::vector<std::string> kHelp{
    "F1 F2 F3 F4  GPUs, jobs that run, jobs that wait, nodes (also 1 2 3 4, Tab)",
    "Up Down      move; PgUp PgDn Home End by pages",
    "Enter        details of the row",
    "l            last lines of the job's output; there: Tab to its errors, Esc back",
    "d e          describe the job or node; explain why the job waits",
    "c h          cancel the job; hold the job, or release it",
    "D            drain the node or GPU, or return it to service",
    "y            yes, to the question before a change; any other key: no",
    "/            show only rows that contain a text; Esc: all again",
    "s r          sort by the next column, reverse the order",
    "f            freeze the screen, and continue",
    "q            quit",
    "",
    "!            needs attention: draining, degraded, offline, hot, memory errors",
    "–            not known; never the same as 0"};

}  // namespace

void WatchApp::DrawOverlay() {
  const bool shows_row = overlay_ == Overlay::kDetails;
  if (shows_row && table_.rows.empty()) return;
  const std::vector<std::string> lines =
      shows_row ? table_.rows[static_cast<size_t>(cursor_)].details() : kHelp;
  int width = 40;
  for (const std::string& line : lines) width = std::max(width, TextWidth(line));
  width = std::min(width + 2, screen_.width());
  const int column = (screen_.width() - width) / 2;
  int row = BodyTop();
  const std::string blank = FitText("", screen_.width());
  for (int line = row - 1; line <= row + static_cast<int>(lines.size()) + 1; ++line) {
    if (line < screen_.height() - 1) screen_.Put(line, 0, blank, {});
  }
  for (const std::string& line : lines) {
    screen_.Put(row++, column, FitText(" " + line, width), kOverlay);
  }
  screen_.Put(row, column, FitText(" any key goes back", width), {WatchLevel::kDim, false, true});
}

void WatchApp::DrawPane() {
  WatchPane& pane = *actions_.pane();
  const int top = BodyTop();
  screen_.Put(top - 1, 0, Printable(pane.Title(), 200), {WatchLevel::kPlain, true, false});
  if (!pane.IsFilled()) screen_.Put(top, 2, "waits for the controller …", kQuiet);
  part_ = pane.Look(screen_.width(), BodyRows());
  int row = top;
  for (const std::string& line : part_.lines) screen_.Put(row++, 0, line, {});
}

// Which part of the rows or lines is seen; empty: all of them.
std::string WatchApp::PlaceText() const {
  const bool is_page = actions_.pane() != nullptr;
  const int all = is_page ? part_.all : static_cast<int>(table_.rows.size());
  const int first = is_page ? part_.first : first_;
  const int rows = BodyRows();
  if (all <= rows) return "";
  return fmt::format("{}-{} of {}", first + 1, std::min(first + rows, all), all);
}

std::string WatchApp::FootKeys(int width) const {
  if (typing_filter_) return "type a filter; Enter keeps it, Esc drops it";
  const WatchPane* pane = actions_.pane();
  return pane == nullptr ? KeysText(view_, width) : PageKeysText(pane->IsLog());
}

void WatchApp::DrawFoot() {
  const int width = screen_.width();
  const int last = screen_.height() - 1;
  const std::string text = actions_.Foot();
  if (text.empty() || typing_filter_) {
    const std::string place = PlaceText();
    const int room = width - (place.empty() ? 0 : TextWidth(place) + 2);
    return screen_.Put(last, 0, FootText(FootKeys(room), place, width), kQuiet);
  }
  std::vector<std::string> lines = FoldText(text, std::max(width, 1));
  // The end says how to answer.
  if (lines.size() > kFootMax) lines.erase(lines.begin(), lines.end() - kFootMax);
  int row = last - static_cast<int>(lines.size()) + 1;
  for (const std::string& line : lines)
    screen_.Put(row++, 0, FitText(line, width), {actions_.FootLevel(), true, false});
}

}  // namespace gp
