#include "cmd/text/node_ranges.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kDigitsMax = 18;  // of a number in 64 bits

// A place around the last number of its node's name.
struct NumberedPlace {
  std::string prefix;
  std::string suffix;
  size_t digits = 0;
  int64_t number = 0;
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::optional<NumberedPlace> Take(const std::string& place) {
  size_t end = std::min(place.find('['), place.size());
  while (end > 0 && !IsDigit(place[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && IsDigit(place[begin - 1])) --begin;
  if (begin == end || end - begin > kDigitsMax) return std::nullopt;
  NumberedPlace taken{place.substr(0, begin), place.substr(end), end - begin};
  std::from_chars(place.data() + begin, place.data() + end, taken.number);
  return taken;
}

// Places that differ in their number only.
struct Group {
  std::string prefix;
  std::string suffix;
  size_t digits = 0;  // of each, with leading zeros; 0: without
  std::vector<int64_t> numbers = {};

  std::string NumberText(int64_t number) const {
    std::string text = std::to_string(number);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text;
  }

  std::string Text() {
    if (numbers.empty()) return prefix;
    std::ranges::sort(numbers);
    std::vector<std::string> ranges;
    for (size_t i = 0; i < numbers.size();) {
      size_t last = i;
      while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
      ranges.push_back(NumberText(numbers[i]) + (last > i ? "-" + NumberText(numbers[last]) : ""));
      i = last + 1;
    }
    const std::string text = Join(ranges, ",");
    return prefix + (numbers.size() > 1 ? "[" + text + "]" : text) + suffix;
  }
};

std::string KeyOf(const NumberedPlace& place) {
  return place.prefix + '\0' + place.suffix + '\0' + std::to_string(place.digits);
}

bool HasLeadingZero(const NumberedPlace& place) {
  return place.digits != std::to_string(place.number).size();
}

}  // namespace

std::string NodeRanges(const std::vector<std::string>& places) {
  std::vector<std::optional<NumberedPlace>> taken;
  std::set<std::string> padded;  // "10" counts as padded to two digits where there is a "09"
  for (const std::string& place : places) {
    taken.push_back(Take(place));
    if (taken.back() && HasLeadingZero(*taken.back())) padded.insert(KeyOf(*taken.back()));
  }
  std::vector<Group> groups;  // in the order of their first place
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < places.size(); ++i) {
    if (!taken[i]) {
      groups.push_back({places[i], ""});
      continue;
    }
    NumberedPlace& place = *taken[i];
    if (!padded.contains(KeyOf(place))) place.digits = 0;
    const auto [at, is_new] = known.try_emplace(KeyOf(place), groups.size());
    if (is_new) groups.push_back({place.prefix, place.suffix, place.digits});
    groups[at->second].numbers.push_back(place.number);
  }
  std::string text;
  for (Group& group : groups) text += (text.empty() ? "" : " ") + group.Text();
  return text;
}

}  // namespace gp
