#include "cmd/watch/watch_foot.h"

#include <algorithm>
#include <string_view>

#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

struct KeyName {
  std::string_view text;
  int goes = 0;  // when there is too little room: the lowest number first
  std::string_view views = "GJQN";
};

constexpr std::string_view kLettersOfViews = "GJQN";  // in the order of WatchView
constexpr KeyName kKeys[] = {
    {"Enter details", 9}, {"l logs", 7, "GJ"},    {"e explain", 7, "Q"}, {"d describe", 5, "JQN"},
    {"h hold", 6, "Q"},   {"c cancel", 8, "GJQ"}, {"D drain", 6, "GN"},  {"/ filter", 4},
    {"s sort", 3},        {"r reverse", 2},       {"f freeze", 1},       {"? help", 10},
    {"q quit", 11}};
constexpr std::string_view kBetween = "  ";

std::string Without(int gone, char view) {
  std::string text;
  for (const KeyName& key : kKeys) {
    if (key.goes <= gone || key.views.find(view) == std::string_view::npos) continue;
    text += std::string(text.empty() ? "" : kBetween) + std::string(key.text);
  }
  return text;
}

}  // namespace

std::string KeysText(WatchView view, int width) {
  const char letter = kLettersOfViews[static_cast<size_t>(view)];
  int gone = 0;
  while (gone < static_cast<int>(std::size(kKeys)) && TextWidth(Without(gone, letter)) > width)
    ++gone;
  return Without(gone, letter);
}

std::string PageKeysText(bool is_log) {
  return std::string("Esc back  Up Down PgUp PgDn move") + (is_log ? "  Tab output or errors" : "");
}

std::string FootText(const std::string& keys, const std::string& place, int width) {
  if (place.empty()) return FitText(keys, width);
  const int room = std::max(width - TextWidth(place), 0);
  const int blanks = std::min(room, static_cast<int>(kBetween.size()));
  return FitText(keys, room - blanks) + std::string(static_cast<size_t>(blanks), ' ') + place;
}

}  // namespace gp
