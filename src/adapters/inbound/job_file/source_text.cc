#include "adapters/inbound/job_file/source_text.h"

#include <algorithm>
#include <vector>

#include "adapters/inbound/job_file/utf8.h"

namespace gp {
namespace {

constexpr size_t kWidth = 96;  // characters of the line that are shown

// Each character of the line as it may be printed: one column each.
std::vector<std::string> PrintableCharacters(std::string_view line) {
  std::vector<std::string> characters;
  while (!line.empty()) {
    const auto character = DecodeUtf8(line);
    const size_t bytes = character ? character->bytes : 1;
    if (!character || IsDeceptive(character->value)) {
      characters.emplace_back("\xef\xbf\xbd");  // U+FFFD
    } else if (character->value < 0x20) {
      characters.emplace_back(" ");
    } else {
      characters.emplace_back(line.substr(0, bytes));
    }
    line.remove_prefix(bytes);
  }
  return characters;
}

std::string Gutter(const Place& place, bool with_line) {
  std::string number = with_line && !place.source->is_argument ? std::to_string(place.line) : "";
  number.insert(0, number.size() < 4 ? 4 - number.size() : 0, ' ');
  return number + " | ";
}

}  // namespace

std::string_view SourceText::Line(int line) const {
  std::string_view rest = text;
  for (int i = 1; i < line; ++i) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  rest = rest.substr(0, rest.find('\n'));
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  return rest;
}

Place PlaceAt(const SourceText& source, size_t offset, int length) {
  const std::string_view before = std::string_view(source.text).substr(0, offset);
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto line = std::ranges::count(before, '\n');
  const size_t column = CountCharacters(before.substr(line_start));
  return {&source, static_cast<int>(line) + 1, static_cast<int>(column) + 1, length};
}

std::string Excerpt(const Place& place) {
  const auto characters = PrintableCharacters(place.source->Line(place.line));
  const size_t caret = static_cast<size_t>(place.column) - 1;
  size_t begin = 0;
  if (caret >= kWidth * 3 / 4) begin = caret - kWidth / 2;
  const size_t end = std::min(characters.size(), begin + kWidth);
  begin = std::min(begin, end);

  std::string shown = begin > 0 ? "…" : "";
  for (size_t i = begin; i < end; ++i) shown += characters[i];
  if (end < characters.size()) shown += "…";

  const size_t to_end = end > caret ? end - caret : 1;
  const size_t wanted = place.length > 0 ? static_cast<size_t>(place.length) : to_end;
  const std::string indent(std::max(caret, begin) - begin + (begin > 0 ? 1 : 0), ' ');
  const std::string carets(std::clamp<size_t>(wanted, 1, to_end), '^');
  return Gutter(place, true) + shown + "\n" + Gutter(place, false) + indent + carets;
}

}  // namespace gp
