#include "lib/yaml/check_text.h"

#include <fstream>

#include "base/utf8.h"

namespace gp {
namespace {

std::string CodePoint(char32_t character) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string digits;
  for (char32_t rest = character; rest != 0 || digits.size() < 4; rest >>= 4) {
    digits.insert(digits.begin(), kDigits[rest & 15]);
  }
  return "U+" + digits;
}

bool IsPlainAscii(char c) { return (c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t'; }

}  // namespace

Result<std::string> ReadSource(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kSourceBytesMax + 1, '\0');  // one byte more than allowed: too large
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.gcount() == 0) return Fail(NotFound(path + ": cannot be read, or is empty"));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

bool CheckText(const SourceText& source, Report& report) {
  if (source.text.size() > kSourceBytesMax) {
    report.Add({&source}, FileCode::kTooLarge,
               "the text has " + std::to_string(source.text.size()) + " bytes; at most " +
                   std::to_string(kSourceBytesMax) + " are allowed");
    return false;
  }
  const std::string_view text = source.text;
  for (size_t at = 0; at < text.size();) {
    if (IsPlainAscii(text[at])) {  // the common case
      ++at;
      continue;
    }
    const auto character = DecodeUtf8(text.substr(at));
    const bool lone_return = text[at] == '\r' && text.substr(at, 2) != "\r\n";
    if (!character) {
      report.Add(PlaceAt(source, at), FileCode::kNotText, "this is not UTF-8 text");
      return false;
    }
    if (lone_return || IsDeceptive(character->value)) {
      report.Add(PlaceAt(source, at), FileCode::kNotText,
                 "the character " + CodePoint(character->value) +
                     " is not allowed: remove it, or write it as an escape in quotes");
      return false;
    }
    at += character->bytes;
  }
  return true;
}

}  // namespace gp
