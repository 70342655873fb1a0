#include "adapters/inbound/job_import/slurm/shell_script.h"

#include <algorithm>
#include <utility>

#include "adapters/inbound/job_import/slurm/here_documents.h"
#include "adapters/inbound/job_import/slurm/shell_cursor.h"
#include "adapters/inbound/job_import/slurm/shell_words.h"

namespace gp {
namespace {

// Words after which a command begins.
bool IsBeforeCommand(std::string_view word) {
  constexpr std::string_view kWords[] = {"if",    "then", "elif", "else", "fi",  "while",
                                         "until", "do",   "done", "!",    "time"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

bool IsAssignment(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0 || IsShellDigit(word.front())) return false;
  std::string_view name = word.substr(0, equals);
  if (name.ends_with('+')) name.remove_suffix(1);
  return !name.empty() && std::ranges::all_of(name, IsOfShellName);
}

// The open braces, and which of them are bodies of functions.
class FunctionBodies {
 public:
  // The next brace opens the body of a function.
  void Announce() { is_next_ = true; }
  void Open() {
    braces_.push_back(std::exchange(is_next_, false));
    open_ += braces_.back() ? 1 : 0;
  }
  void Close() {
    if (braces_.empty()) return;
    open_ -= braces_.back() ? 1 : 0;
    braces_.pop_back();
  }
  bool IsInside() const { return open_ > 0; }

 private:
  bool is_next_ = false;
  int open_ = 0;
  std::vector<bool> braces_;  // true: of a function
};

// A recursive-descent reader of the commands of one script.  Any text ends in a result: it never
// fails.
class ShellReader {
 public:
  explicit ShellReader(std::string_view text)
      : cursor_(text),
        words_(
            cursor_, [this](char end) { List(end); },
            [this](size_t at, std::string argument) { Argument(at, std::move(argument)); }),
        documents_(cursor_, words_) {}

  ShellScript All() {
    List(0);
    return std::move(script_);
  }

 private:
  // Reads commands up to `end`, which it does not consume; 0: to the end of the text.
  void List(char end) {
    cursor_.Enter();
    const int outer_cases = std::exchange(cases_, 0);
    ShellCommand command;
    while (!cursor_.IsOver() && !IsAt(end)) ReadNext(command);
    Finish(command);
    cases_ = outer_cases;
    cursor_.Leave();
  }

  bool IsAt(char end) const { return cursor_.At() == end && (end != ')' || cases_ == 0); }

  // Reads what comes next: a part of the command, its end, or a comment.
  void ReadNext(ShellCommand& command) {
    const char c = cursor_.At();
    if (IsShellBlank(c)) return cursor_.Skip();
    if (c == '\\' && cursor_.At(1) == '\n') return cursor_.Skip(2);
    if (c == '#') return SkipLine();
    if (std::string_view(";&|\n").contains(c)) return Separator(command);
    if (c == ')') return Separator(command);  // after a pattern of case
    if (c == '(') return Parenthesis(command);
    if (c == '<' || c == '>') return Redirection();
    OneWord(command);
  }

  void SkipLine() {
    cursor_.GoTo(std::min(cursor_.text().find('\n', cursor_.at()), cursor_.text().size()));
  }

  void Separator(ShellCommand& command) {
    const bool ends_line = cursor_.At() == '\n';
    cursor_.Skip();
    Finish(command);
    if (ends_line) documents_.Skip();
  }

  // Keeps the command, if it has words, and begins another one.
  void Finish(ShellCommand& command) {
    const std::vector<ShellWord>& words = command.words;
    if (words.empty()) return;
    if (words.front().text == "getopts") Argument(words.front().begin, "getopts");
    const bool sets = words.front().text == "set" && words.size() > 1 &&
                      (words[1].text == "--" || words[1].text.find_first_of("-+") != 0);
    if (sets && !functions_.IsInside()) has_own_arguments_ = true;
    script_.commands.push_back(std::exchange(command, {}));
  }

  void Argument(size_t at, std::string text) {
    if (!functions_.IsInside() && !has_own_arguments_)
      script_.arguments.push_back({at, std::move(text)});
  }

  // Reads one word: part of a command, or shell syntax.
  void OneWord(ShellCommand& command) {
    ShellWord word = words_.Take();
    if (word.end == word.begin) cursor_.Skip();  // a character without meaning here
    const bool is_descriptor = (cursor_.At() == '<' || cursor_.At() == '>') && !word.text.empty() &&
                               std::ranges::all_of(word.text, IsShellDigit);
    if (is_descriptor) return;  // 2>file
    if (command.words.empty()) return FirstWord(std::move(word), command);
    if (command.words.front().text == "case" && word.text == "in") {
      command.words.clear();
    } else {
      command.words.push_back(std::move(word));
    }
  }

  void FirstWord(ShellWord word, ShellCommand& command) {
    if (word.text == "{") {
      functions_.Open();
    } else if (word.text == "}") {
      functions_.Close();
    } else if (word.text == "function") {
      cursor_.SkipBlanks();
      words_.Take();
      functions_.Announce();
    } else if (word.text == "esac") {
      cases_ = std::max(cases_ - 1, 0);
    } else if (IsAssignment(word.text)) {
      if (word.text.ends_with('=') && cursor_.At() == '(') SkipArray();
    } else if (!IsBeforeCommand(word.text)) {
      if (word.text == "case") ++cases_;
      command.words.push_back(std::move(word));
    }
  }

  // Reads a subshell, the "()" of a function or "(( ))".
  void Parenthesis(ShellCommand& command) {
    if (cursor_.At(1) == '(') return words_.TakeArithmetic(2);
    size_t blanks = 0;
    while (IsShellBlank(cursor_.At(1 + blanks))) ++blanks;
    if (cursor_.At(1 + blanks) == ')') {
      cursor_.Skip(2 + blanks);
      functions_.Announce();
      command.words.clear();
      return;
    }
    InParentheses(1);
  }

  // Reads the commands between parentheses; `opening`: the characters before them.
  void InParentheses(size_t opening) {
    cursor_.Skip(opening);
    List(')');
    cursor_.Skip();
  }

  void SkipArray() {
    cursor_.Skip();
    while (!cursor_.IsOver() && cursor_.At() != ')') {
      if (IsShellBlank(cursor_.At()) || cursor_.At() == '\n') {
        cursor_.Skip();
      } else if (const ShellWord word = words_.Take(); word.end == word.begin) {
        cursor_.Skip();
      }
    }
    cursor_.Skip();
  }

  void Redirection() {
    const bool is_document = cursor_.At() == '<' && cursor_.At(1) == '<' && cursor_.At(2) != '<';
    const bool has_tabs = is_document && cursor_.At(2) == '-';
    if (cursor_.At(1) == '(') return InParentheses(2);  // <(commands)
    while (cursor_.At() == '<' || cursor_.At() == '>' || cursor_.At() == '&' || cursor_.At() == '|')
      cursor_.Skip();
    if (has_tabs) cursor_.Skip();
    cursor_.SkipBlanks();
    const ShellWord target = words_.Take();
    if (is_document) documents_.Expect(target, has_tabs);
  }

  ShellCursor cursor_;
  ShellWords words_;
  HereDocuments documents_;
  FunctionBodies functions_;
  int cases_ = 0;  // open `case` commands in this list
  bool has_own_arguments_ = false;
  ShellScript script_;
};

}  // namespace

ShellScript ReadShellScript(std::string_view text) { return ShellReader(text).All(); }

}  // namespace gp
