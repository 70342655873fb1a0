#include "base/utf8.h"

namespace gp {
namespace {

size_t LengthFromLead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

bool IsShortestForm(char32_t value, size_t bytes) {
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  return value >= kLeast[bytes];
}

}  // namespace

std::optional<Utf8Character> DecodeUtf8(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const size_t bytes = LengthFromLead(lead);
  if (bytes == 0 || bytes > text.size()) return std::nullopt;
  char32_t value = bytes == 1 ? lead : lead & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80) return std::nullopt;
    value = value << 6 | (next & 0x3f);
  }
  const bool is_surrogate = value >= 0xd800 && value <= 0xdfff;
  if (is_surrogate || value > 0x10ffff || !IsShortestForm(value, bytes)) return std::nullopt;
  return Utf8Character{value, bytes};
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const auto character = DecodeUtf8(text);
    if (!character) return false;
    text.remove_prefix(character->bytes);
  }
  return true;
}

size_t CountCharacters(std::string_view text) {
  size_t count = 0;
  for (; !text.empty(); ++count) {
    const auto character = DecodeUtf8(text);
    text.remove_prefix(character ? character->bytes : 1);
  }
  return count;
}

bool IsDeceptive(char32_t c) {
  if (c < 0x20) return c != '\t' && c != '\n' && c != '\r';
  if (c >= 0x7f && c <= 0x9f) return true;
  const bool is_separator = c == 0x2028 || c == 0x2029;
  const bool reorders = (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  return is_separator || reorders || c == 0xfeff || c == 0xfffe || c == 0xffff;
}

}  // namespace gp
