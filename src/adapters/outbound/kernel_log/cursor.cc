#include "adapters/outbound/kernel_log/cursor.h"

#include <algorithm>
#include <charconv>

namespace gp {

std::string_view Cursor::Take(size_t length) {
  const std::string_view taken = left_.substr(0, length);
  left_.remove_prefix(length);
  return taken;
}

bool Cursor::Skip(std::string_view word) {
  if (!left_.starts_with(word)) return false;
  left_.remove_prefix(word.size());
  return true;
}

std::optional<std::string_view> Cursor::Until(char end) {
  const size_t at = left_.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view before = Take(at);
  left_.remove_prefix(1);
  return before;
}

std::optional<std::string_view> Cursor::HexDigits(size_t digits_min, size_t digits_max) {
  const size_t other = left_.find_first_not_of("0123456789abcdefABCDEF");
  const size_t count = std::min(other, left_.size());
  if (count < digits_min || count > digits_max) return std::nullopt;
  return Take(count);
}

std::optional<int> Cursor::Number(int max) {
  int value = 0;
  const char* const end = left_.data() + left_.size();
  const auto [stop, error] = std::from_chars(left_.data(), end, value);
  if (left_.starts_with('-') || error != std::errc() || value > max) return std::nullopt;
  Take(static_cast<size_t>(stop - left_.data()));
  return value;
}

}  // namespace gp
