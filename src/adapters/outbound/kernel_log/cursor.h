#pragma once

#include <optional>
#include <string_view>

namespace gp {

// The unread rest of a line that is read from the left.  A step that does not match consumes
// nothing, so the caller can try another form; no step searches ahead for a word.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : left_(text) {}

  bool Skip(std::string_view word);
  // Everything before the next `end`, which is consumed too.
  std::optional<std::string_view> Until(char end);
  // Hexadecimal digits, from `digits_min` to `digits_max` of them, ending where no digit follows.
  std::optional<std::string_view> HexDigits(size_t digits_min, size_t digits_max);
  // A decimal number without sign, at most `max`, ending where no digit follows.
  std::optional<int> Number(int max);

  std::string_view left() const { return left_; }

 private:
  std::string_view Take(size_t length);
  std::string_view left_;
};

}  // namespace gp
