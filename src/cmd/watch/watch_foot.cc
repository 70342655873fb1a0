#include "cmd/watch/watch_foot.h"

#include <algorithm>
#include <string_view>

#include "infrastructure/terminal_text.h"

namespace gp {
namespace {

struct KeyName {
  std::string_view text;
  int goes = 0;  // when there is too little room: the lowest number first
};

constexpr KeyName kKeys[] = {{"Enter details", 5}, {"/ filter", 4}, {"s sort", 3}, {"r reverse", 2},
                             {"f freeze", 1},      {"? help", 6},   {"q quit", 7}};
constexpr std::string_view kBetween = "  ";

std::string Without(int gone) {
  std::string text;
  for (const KeyName& key : kKeys) {
    if (key.goes > gone) text += std::string(text.empty() ? "" : kBetween) + std::string(key.text);
  }
  return text;
}

}  // namespace

std::string KeysText(int width) {
  int gone = 0;
  while (gone < static_cast<int>(std::size(kKeys)) && TextWidth(Without(gone)) > width) ++gone;
  return Without(gone);
}

std::string FootText(const std::string& keys, const std::string& place, int width) {
  if (place.empty()) return FitText(keys, width);
  const int room = std::max(width - TextWidth(place), 0);
  const int blanks = std::min(room, static_cast<int>(kBetween.size()));
  return FitText(keys, room - blanks) + std::string(static_cast<size_t>(blanks), ' ') + place;
}

}  // namespace gp
