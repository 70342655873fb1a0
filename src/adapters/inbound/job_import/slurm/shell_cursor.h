#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace gp {

inline bool IsShellDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsShellBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
// Whether the character can be part of a variable's name.
inline bool IsOfShellName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsShellDigit(c) || c == '_';
}

// A place in a script, shared by the readers of its parts.  The place may be beyond the end.
class ShellCursor {
 public:
  explicit ShellCursor(std::string_view text) : text_(text) {}

  char At(size_t offset = 0) const {
    return at_ + offset < text_.size() ? text_[at_ + offset] : '\0';
  }
  bool IsOver() const { return at_ >= text_.size(); }
  size_t at() const { return at_; }
  std::string_view text() const { return text_; }
  // What was read since `begin`.
  std::string_view Since(size_t begin) const {
    return text_.substr(begin, std::min(at_, text_.size()) - begin);
  }

  void Skip(size_t characters = 1) { at_ += characters; }
  void GoTo(size_t at) { at_ = at; }
  void SkipBlanks() {
    while (IsShellBlank(At())) ++at_;
  }

  // Of nested lists and expansions; those that are too deep are not read.
  void Enter() {
    if (++depth_ > kDepthMax) at_ = text_.size();
  }
  void Leave() { --depth_; }

 private:
  static constexpr int kDepthMax = 64;

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace gp
