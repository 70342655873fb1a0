#include "cmd/watch/watch_pane.h"

#include <algorithm>

#include "base/text.h"
#include "cmd/watch/watch_screen.h"
#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

constexpr size_t kLineMax = 4'000;  // bytes that are shown of a line
constexpr int kLabelWidth = 12;     // columns before the text of a description
constexpr int kIndentedWidth = 40;  // narrower screens have no columns to spare

// How far the key moves, in lines; 0: it does not move.
int StepOf(int key, int page, int lines) {
  if (key == WatchScreen::kUp || key == 'k') return -1;
  if (key == WatchScreen::kDown || key == 'j') return 1;
  if (key == WatchScreen::kPageUp) return -page;
  if (key == WatchScreen::kPageDown || key == ' ') return page;
  if (key == WatchScreen::kHome || key == 'g') return -lines;
  if (key == WatchScreen::kEnd || key == 'G') return lines;
  return 0;
}

}  // namespace

WatchPane::WatchPane(std::string title, WatchRequest request)
    : title_(std::move(title)), request_(std::move(request)), at_end_(IsLog()) {}

void WatchPane::Fill(const std::string& text) {
  lines_ = Split(text, '\n');
  if (!lines_.empty() && lines_.back().empty()) lines_.pop_back();
  for (std::string& line : lines_) line = Printable(line, kLineMax);
  if (lines_.empty()) lines_.emplace_back(IsLog() ? "no output so far" : "nothing");
  is_filled_ = true;
}

bool WatchPane::OnKey(int key) {
  const int step = StepOf(key, std::max(rows_ - 1, 1), top_max_ + 1);
  if (step == 0) return false;
  top_ = std::clamp(top_ + step, 0, top_max_);
  at_end_ = step > 0 && top_ == top_max_;
  return true;
}

void WatchPane::TurnStream() {
  request_.errors = !request_.errors;
  lines_.clear();
  is_filled_ = false;
  at_end_ = true;
}

WatchPane::Part WatchPane::Look(int width, int rows) {
  const int indent = IsLog() || width < kIndentedWidth ? 0 : kLabelWidth;
  std::vector<std::string> folded;
  for (const std::string& line : lines_) {
    for (std::string& part : FoldText(line, std::max(width, 1), indent))
      folded.push_back(std::move(part));
  }
  const int all = static_cast<int>(folded.size());
  rows_ = std::max(rows, 1);
  top_max_ = std::max(all - rows_, 0);
  top_ = at_end_ ? top_max_ : std::min(top_, top_max_);
  const auto begin = folded.begin() + top_;
  return {{begin, begin + std::min(rows_, all - top_)}, top_, all};
}

std::string WatchPane::Title() const {
  if (!IsLog()) return title_;
  return title_ + (request_.errors ? ", standard error" : ", standard output") +
         (at_end_ ? "" : "; End shows what is new");
}

}  // namespace gp
