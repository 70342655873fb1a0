#include "adapters/inbound/job_import/slurm/shell_words.h"

#include <algorithm>
#include <utility>

namespace gp {
namespace {

// Whether the variable is an argument of the script; $0 is its name.
bool IsArgument(std::string_view name) {
  if (name == "@" || name == "*" || name == "#") return true;
  return !name.empty() && name != "0" && std::ranges::all_of(name, IsShellDigit);
}

}  // namespace

ShellWord ShellWords::Take() {
  const size_t size = cursor_.text().size();
  ShellWord word;
  cursor_.GoTo(std::min(cursor_.at(), size));
  word.begin = cursor_.at();
  bool in_quotes = false;
  while (!cursor_.IsOver() && !IsAtEnd(in_quotes)) {
    if (cursor_.At() == '"') in_quotes = !in_quotes;
    TakePart(in_quotes, word.text);
  }
  cursor_.GoTo(std::min(cursor_.at(), size));
  word.end = cursor_.at();
  return word;
}

bool ShellWords::IsAtEnd(bool in_quotes) const {
  constexpr std::string_view kEnds = " \t\r\n;&|()<>";
  if (cursor_.At() == '`') return is_in_backticks_;
  return !in_quotes && kEnds.contains(cursor_.At());
}

void ShellWords::TakePart(bool in_quotes, std::string& text) {
  const char c = cursor_.At();
  if (c == '\\') {
    if (cursor_.At(1) != '\n') text += cursor_.At(1);
    cursor_.Skip(2);
  } else if (c == '`' || (c == '$' && cursor_.At(1) != '\'')) {
    TakeExpansion(text);
  } else if (c == '\'' && !in_quotes) {
    TakeLiteral(text);
  } else {
    if (c != '"') text += c;
    cursor_.Skip();
  }
}

void ShellWords::TakeExpansion(std::string& text) {
  const size_t begin = cursor_.at();
  if (cursor_.At() == '$') {
    TakeDollar();
  } else {
    is_in_backticks_ = true;
    TakeBackticks();
    is_in_backticks_ = false;
  }
  text += cursor_.Since(begin);
}

void ShellWords::TakeLiteral(std::string& text) {
  const std::string_view script = cursor_.text();
  const size_t begin = cursor_.at() + 1;
  const size_t close = std::min(script.find('\'', begin), script.size());
  text += script.substr(begin, close - begin);
  cursor_.GoTo(close + 1);
}

void ShellWords::TakeExpanding() {
  if (cursor_.At() == '\\') {
    cursor_.Skip(2);
  } else if (cursor_.At() == '$') {
    TakeDollar();
  } else if (cursor_.At() == '`') {
    TakeBackticks();
  } else {
    cursor_.Skip();
  }
}

void ShellWords::TakeBackticks() {
  cursor_.Skip();
  read_commands_('`');
  cursor_.Skip();
}

void ShellWords::TakeDollar() {
  cursor_.Enter();
  const size_t begin = cursor_.at();
  const char next = cursor_.At(1);
  if (next == '(' && cursor_.At(2) == '(') {
    TakeArithmetic(3);
  } else if (next == '(') {
    cursor_.Skip(2);
    const bool outer = std::exchange(is_in_backticks_, false);
    read_commands_(')');
    is_in_backticks_ = outer;
    cursor_.Skip();
  } else if (next == '{') {
    TakeBraces(begin);
  } else if (IsShellDigit(next) || next == '@' || next == '*' || next == '#') {
    cursor_.Skip(2);
    const std::string_view name = cursor_.text().substr(begin, 2);
    if (IsArgument(name.substr(1))) on_argument_(begin, std::string(name));
  } else {
    cursor_.Skip();
    while (IsOfShellName(cursor_.At())) cursor_.Skip();
  }
  cursor_.Leave();
}

// Reads "${NAME…}".
void ShellWords::TakeBraces(size_t begin) {
  cursor_.Skip(2);
  if ((cursor_.At() == '#' || cursor_.At() == '!') && cursor_.At(1) != '}' && cursor_.At(1) != ':')
    cursor_.Skip();
  const size_t name_begin = cursor_.at();
  if (cursor_.At() == '@' || cursor_.At() == '*' || cursor_.At() == '#') {
    cursor_.Skip();
  } else {
    while (IsOfShellName(cursor_.At())) cursor_.Skip();
  }
  const std::string_view name = cursor_.text().substr(name_begin, cursor_.at() - name_begin);
  while (!cursor_.IsOver() && cursor_.At() != '}') TakeExpanding();
  cursor_.Skip();
  if (IsArgument(name)) on_argument_(begin, std::string(cursor_.Since(begin)));
}

void ShellWords::TakeArithmetic(size_t opening) {
  cursor_.Skip(opening);
  int depth = 2;
  while (!cursor_.IsOver() && depth > 0) {
    if (cursor_.At() == '(') ++depth;
    if (cursor_.At() == ')') --depth;
    if (depth > 0) {
      TakeExpanding();
    } else {
      cursor_.Skip();
    }
  }
}

}  // namespace gp
