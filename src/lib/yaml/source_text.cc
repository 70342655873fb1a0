#include "lib/yaml/source_text.h"

#include <algorithm>
#include <optional>

#include "base/utf8.h"

namespace gp {
namespace {

constexpr size_t kWidth = 96;  // characters of a line that are shown

// The first character of `text`, made safe to print, in one column.
std::string PrintableCharacter(std::string_view text,
                               const std::optional<Utf8Character>& character) {
  if (!character || IsDeceptive(character->value)) return "\xef\xbf\xbd";  // U+FFFD
  return character->value < 0x20 ? " " : std::string(text.substr(0, character->bytes));
}

// A part of a line.
struct Window {
  std::string text;
  size_t end;  // the position after the last character shown
  bool is_cut_behind;
};

Window ShowFrom(std::string_view line, size_t begin) {
  Window window{"", 0, false};
  for (; !line.empty(); ++window.end) {
    window.is_cut_behind = window.end >= begin + kWidth;
    if (window.is_cut_behind) break;
    const auto character = DecodeUtf8(line);
    if (window.end >= begin) window.text += PrintableCharacter(line, character);
    line.remove_prefix(character ? character->bytes : 1);
  }
  return window;
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
  const size_t caret = static_cast<size_t>(place.column) - 1;
  const size_t begin = caret < kWidth * 3 / 4 ? 0 : caret - kWidth / 2;
  const Window window = ShowFrom(place.source->Line(place.line), begin);
  const std::string cut_before = begin > 0 ? "…" : "";
  const std::string cut_behind = window.is_cut_behind ? "…" : "";

  const size_t to_end = window.end > caret ? window.end - caret : 1;
  const size_t wanted = place.length > 0 ? static_cast<size_t>(place.length) : to_end;
  const std::string indent(caret - begin + (begin > 0 ? 1 : 0), ' ');
  const std::string carets(std::clamp<size_t>(wanted, 1, to_end), '^');
  return Gutter(place, true) + cut_before + window.text + cut_behind + "\n" + Gutter(place, false) +
         indent + carets;
}

}  // namespace gp
