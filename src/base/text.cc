#include "base/text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <limits>
#include <utility>

#include "base/utf8.h"

namespace gp {
namespace {

constexpr std::string_view kBase32 = "0123456789abcdefghjkmnpqrstvwxyz";

// A number with up to three decimals, in thousandths, and the text after it.
struct Quantity {
  int64_t thousandths;
  std::string_view rest;
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::optional<Quantity> TakeQuantity(std::string_view text) {
  size_t end = 0;
  int64_t whole = 0;
  while (end < text.size() && IsDigit(text[end])) {
    if (whole > (std::numeric_limits<int64_t>::max() / 1000 - 9) / 10) return std::nullopt;
    whole = whole * 10 + (text[end] - '0');
    ++end;
  }
  if (end == 0 || (end > 1 && text[0] == '0')) return std::nullopt;
  int64_t fraction = 0;
  if (end < text.size() && text[end] == '.') {
    ++end;
    int digits = 0;
    for (; end < text.size() && IsDigit(text[end]) && digits < 3; ++end, ++digits) {
      fraction = fraction * 10 + (text[end] - '0');
    }
    if (digits == 0 || (end < text.size() && IsDigit(text[end]))) return std::nullopt;
    for (; digits < 3; ++digits) fraction *= 10;
  }
  return Quantity{whole * 1000 + fraction, text.substr(end)};
}

bool MultiplyInto(int64_t* value, int64_t factor) {
  return !__builtin_mul_overflow(*value, factor, value);
}

// The bytes of the character that the text begins with; 0: it is no UTF-8, or steers a terminal.
size_t BytesOfShownCharacter(std::string_view text) {
  const auto character = DecodeUtf8(text);
  const bool shown = character && character->value >= 0x20 && !IsDeceptive(character->value);
  return shown ? character->bytes : 0;
}

}  // namespace

std::string ToBase32(uint64_t value, int digits_min) {
  std::string text;
  while (value != 0 || static_cast<int>(text.size()) < digits_min) {
    text.push_back(kBase32[value & 31]);
    value >>= 5;
  }
  std::ranges::reverse(text);
  return text;
}

std::optional<uint64_t> FromBase32(std::string_view text) {
  if (text.empty() || text.size() > 13) return std::nullopt;
  uint64_t value = 0;
  for (char c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == 'o') c = '0';
    if (c == 'i' || c == 'l') c = '1';
    const size_t digit = kBase32.find(c);
    if (digit == std::string_view::npos || value >> 59 != 0) return std::nullopt;
    value = value << 5 | digit;
  }
  return value;
}

std::string ToHex(std::span<const unsigned char> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

int EditDistance(std::string_view a, std::string_view b) {
  std::vector<int> two_before, before(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    two_before = std::exchange(before, row);
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int substitute = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, substitute});
      const bool is_swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (is_swapped) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string> Nearest(std::string_view word, std::span<const std::string> candidates) {
  constexpr size_t kLongest = 64;  // bounds the quadratic distance
  if (word.empty() || word.size() > kLongest) return std::nullopt;
  const int near_enough =
      static_cast<int>(word.size()) <= 4 ? 1 : static_cast<int>(word.size()) / 3;
  int best = near_enough + 1;
  std::optional<std::string> nearest;
  for (const std::string& candidate : candidates) {
    const int distance = EditDistance(word, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

bool NaturalLess(const std::string& a, const std::string& b) {
  return strverscmp(a.c_str(), b.c_str()) < 0;
}

std::string ToBase64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t given = std::min<size_t>(bytes.size() - i, 3);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k)
      group = group << 8 | (k < given ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (size_t k = 0; k < 4; ++k) text += k <= given ? kDigits[group >> (18 - 6 * k) & 63U] : '=';
  }
  return text;
}

bool IsMetricName(std::string_view name) {
  return !name.empty() && name.size() <= kMetricNameMax && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '/' || c == '-';
  });
}

bool IsHostName(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  return !text.empty() && text.size() <= 253 && std::ranges::all_of(text, fits);
}

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string Join(std::span<const std::string> parts, std::string_view separator) {
  std::string joined;
  for (const std::string& part : parts) {
    if (&part != parts.data()) joined += separator;
    joined += part;
  }
  return joined;
}

Result<int64_t> ParseCount(std::string_view text) {
  const auto quantity = TakeQuantity(text);
  if (!quantity || !quantity->rest.empty() || text.find('.') != std::string_view::npos) {
    return Fail(
        InvalidArgument("\"" + Printable(text, 40) + "\" is not a whole number (0, 1, 2 …)"));
  }
  return quantity->thousandths / 1000;
}

Result<int64_t> ParseBytes(std::string_view text) {
  static constexpr struct {
    std::string_view unit;
    int64_t bytes;
  } kUnits[] = {{"", 1},
                {"B", 1},
                {"KB", 1'000},
                {"MB", 1'000'000},
                {"GB", 1'000'000'000},
                {"TB", 1'000'000'000'000},
                {"KiB", int64_t{1} << 10},
                {"MiB", int64_t{1} << 20},
                {"GiB", int64_t{1} << 30},
                {"TiB", int64_t{1} << 40}};
  if (const auto quantity = TakeQuantity(text)) {
    for (const auto& unit : kUnits) {
      if (quantity->rest != unit.unit) continue;
      int64_t thousandths = quantity->thousandths;
      if (!MultiplyInto(&thousandths, unit.bytes)) break;
      return thousandths / 1000;
    }
  }
  return Fail(InvalidArgument("\"" + Printable(text, 40) +
                              "\" is not a size: write a number with a unit, as 80GB or 512MiB"));
}

Result<Duration> ParseDuration(std::string_view text) {
  static constexpr struct {
    std::string_view unit;
    int64_t ns;
  } kUnits[] = {{"ms", 1'000'000},
                {"s", 1'000'000'000},
                {"m", 60'000'000'000},
                {"h", 3'600'000'000'000},
                {"d", 86'400'000'000'000}};
  const Error error = InvalidArgument("\"" + Printable(text, 40) +
                                      "\" is not a duration: write 90s, 15m, 12h or 1d12h");
  std::string_view rest = text;
  int64_t total = 0;
  while (true) {
    const auto quantity = TakeQuantity(rest);
    if (!quantity) return Fail(error);
    size_t letters = 0;
    while (letters < quantity->rest.size() && !IsDigit(quantity->rest[letters])) ++letters;
    const std::string_view name = quantity->rest.substr(0, letters);
    const auto* unit = std::ranges::find(kUnits, name, [](const auto& u) { return u.unit; });
    int64_t thousandths = quantity->thousandths;
    if (unit == std::end(kUnits) || !MultiplyInto(&thousandths, unit->ns / 1000))
      return Fail(error);
    if (__builtin_add_overflow(total, thousandths, &total)) return Fail(error);
    rest = quantity->rest.substr(letters);
    if (rest.empty()) return Duration{total};
  }
}

std::string Count(int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string BytesToText(int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 0) return "-" + BytesToText(-bytes);
  int unit = 0;
  int64_t tenths = bytes * 10;
  if (bytes > std::numeric_limits<int64_t>::max() / 16) {  // keep the tenths inside 64 bits
    tenths = bytes / 1024 * 10;
    unit = 1;
  }
  while (tenths >= 10240 && unit < 5) {
    tenths /= 1024;
    ++unit;
  }
  std::string text = std::to_string(tenths / 10);
  if (unit > 0) text += "." + std::to_string(tenths % 10);
  return text + " " + kUnits[unit];
}

std::string Printable(std::string_view text, size_t length_max) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string safe;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t bytes = BytesOfShownCharacter(rest);
    if (text.size() - rest.size() + std::max<size_t>(bytes, 1) > length_max) return safe + "…";
    if (bytes > 0) {
      safe += rest.substr(0, bytes);
    } else {
      const auto byte = static_cast<uint8_t>(rest.front());
      ((safe += "\\x") += kDigits[byte >> 4]) += kDigits[byte & 15];
    }
    rest.remove_prefix(std::max<size_t>(bytes, 1));
  }
  return safe;
}

}  // namespace gp
