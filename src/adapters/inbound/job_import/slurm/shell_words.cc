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
  constexpr std::string_view kEnds = " \t\r\n;&|()<>";
  ShellCursor& cursor = cursor_;
  const std::string_view script = cursor.text();
  ShellWord word;
  cursor.GoTo(std::min(cursor.at(), script.size()));
  word.begin = cursor.at();
  bool in_quotes = false;
  while (!cursor.IsOver()) {
    const char c = cursor.At();
    const size_t begin = cursor.at();
    if (c == '"') {
      in_quotes = !in_quotes;
      cursor.Skip();
    } else if (c == '\\') {
      if (cursor.At(1) != '\n') word.text += cursor.At(1);
      cursor.Skip(2);
    } else if (c == '$' && cursor.At(1) != '\'') {
      TakeDollar();
      word.text += cursor.Since(begin);
    } else if (c == '`') {
      if (is_in_backticks_) break;
      is_in_backticks_ = true;
      TakeBackticks();
      is_in_backticks_ = false;
      word.text += cursor.Since(begin);
    } else if (!in_quotes && c == '\'') {
      const size_t close = std::min(script.find('\'', begin + 1), script.size());
      word.text += script.substr(begin + 1, close - begin - 1);
      cursor.GoTo(close + 1);
    } else if (!in_quotes && kEnds.find(c) != std::string_view::npos) {
      break;
    } else {
      word.text += c;
      cursor.Skip();
    }
  }
  cursor.GoTo(std::min(cursor.at(), script.size()));
  word.end = cursor.at();
  return word;
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
