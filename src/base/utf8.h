#pragma once

// UTF-8, one character at a time and as strict as the standard: no overlong forms, no surrogates,
// nothing beyond U+10FFFF.

#include <cstddef>
#include <optional>
#include <string_view>

namespace gp {

struct Utf8Character {
  char32_t value;
  size_t bytes;
};

// The character at the beginning of `text`, which must not be empty; nullopt: it is
// not valid UTF-8.
std::optional<Utf8Character> DecodeUtf8(std::string_view text);

bool IsUtf8(std::string_view text);

// Number of characters; each invalid byte counts as one.
size_t CountCharacters(std::string_view text);

// Control characters other than tab and line ends, and those that reorder or hide the text around
// them: a reviewer would not see what the program reads.
bool IsDeceptive(char32_t character);

}  // namespace gp
