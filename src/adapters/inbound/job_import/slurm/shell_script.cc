#include "adapters/inbound/job_import/slurm/shell_script.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace gp {
namespace {

constexpr int kDepthMax = 64;  // of nested lists; deeper ones are not read

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsOfName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_';
}
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Words after which a command begins.
bool IsBeforeCommand(std::string_view word) {
  constexpr std::string_view kWords[] = {"if",    "then", "elif", "else", "fi",  "while",
                                         "until", "do",   "done", "!",    "time"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

bool IsAssignment(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0 || IsDigit(word.front())) return false;
  std::string_view name = word.substr(0, equals);
  if (name.ends_with('+')) name.remove_suffix(1);
  return !name.empty() && std::ranges::all_of(name, IsOfName);
}

// Whether the variable is an argument of the script; $0 is its name.
bool IsArgument(std::string_view name) {
  if (name == "@" || name == "*" || name == "#") return true;
  return !name.empty() && name != "0" && std::ranges::all_of(name, IsDigit);
}

// A recursive-descent reader of one script.  Any text ends in a result: it never fails.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  ShellScript All() {
    List(0);
    return std::move(script_);
  }

 private:
  // A here-document whose text follows.
  struct Document {
    std::string end;
    bool expands = true;
    bool has_tabs = false;  // <<-
  };

  char At(size_t offset = 0) const {
    return at_ + offset < text_.size() ? text_[at_ + offset] : '\0';
  }
  bool IsOver() const { return at_ >= text_.size(); }

  // Reads commands up to `end`, which it does not consume; 0: to the end of the text.
  void List(char end) {
    if (++depth_ > kDepthMax) at_ = text_.size();
    const int outer_cases = std::exchange(cases_, 0);
    ShellCommand command;
    const auto finish = [&] {
      if (!command.words.empty()) Finish(std::exchange(command, {}));
    };
    while (!IsOver()) {
      const char c = At();
      if (IsBlank(c) || c == ';' || c == '&' || c == '|') {
        if (!IsBlank(c)) finish();
        ++at_;
      } else if (c == '\\' && At(1) == '\n') {
        at_ += 2;
      } else if (c == '\n') {
        ++at_;
        finish();
        SkipDocuments();
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == end && (c != ')' || cases_ == 0)) {
        break;
      } else if (c == ')') {  // after a pattern of case
        ++at_;
        finish();
      } else if (c == '(') {
        Parenthesis(command);
      } else if (c == '<' || c == '>') {
        Redirection();
      } else {
        OneWord(command);
      }
    }
    finish();
    cases_ = outer_cases;
    --depth_;
  }

  void Finish(ShellCommand command) {
    const std::vector<ShellWord>& words = command.words;
    if (functions_ == 0 && words.front().text == "getopts")
      Argument(words.front().begin, "getopts");
    const bool sets = words.front().text == "set" && words.size() > 1 &&
                      (words[1].text == "--" || words[1].text.find_first_of("-+") != 0);
    if (sets && functions_ == 0) has_own_arguments_ = true;
    script_.commands.push_back(std::move(command));
  }

  void Argument(size_t at, std::string text) {
    if (functions_ == 0 && !has_own_arguments_) script_.arguments.push_back({at, std::move(text)});
  }

  // Reads one word: part of a command, or shell syntax.
  void OneWord(ShellCommand& command) {
    ShellWord word = Word();
    if (word.end == word.begin) ++at_;  // a character without meaning here
    const bool is_descriptor = (At() == '<' || At() == '>') && !word.text.empty() &&
                               std::ranges::all_of(word.text, IsDigit);
    if (is_descriptor) return;  // 2>file
    if (!command.words.empty()) {
      if (command.words.front().text == "case" && word.text == "in") {
        command.words.clear();
      } else {
        command.words.push_back(std::move(word));
      }
      return;
    }
    if (word.text == "{") {
      braces_.push_back(std::exchange(is_function_next_, false));
      functions_ += braces_.back() ? 1 : 0;
    } else if (word.text == "}") {
      if (!braces_.empty()) {
        functions_ -= braces_.back() ? 1 : 0;
        braces_.pop_back();
      }
    } else if (word.text == "function") {
      SkipBlanks();
      Word();
      is_function_next_ = true;
    } else if (word.text == "esac") {
      cases_ = std::max(cases_ - 1, 0);
    } else if (IsAssignment(word.text)) {
      if (word.text.ends_with('=') && At() == '(') SkipArray();
    } else if (!IsBeforeCommand(word.text)) {
      if (word.text == "case") ++cases_;
      command.words.push_back(std::move(word));
    }
  }

  // Reads a subshell, the "()" of a function or "(( ))".
  void Parenthesis(ShellCommand& command) {
    if (At(1) == '(') return Arithmetic(2);
    size_t close = at_ + 1;
    while (close < text_.size() && IsBlank(text_[close])) ++close;
    if (close < text_.size() && text_[close] == ')') {
      at_ = close + 1;
      is_function_next_ = true;
      command.words.clear();
      return;
    }
    ++at_;
    List(')');
    ++at_;
  }

  void SkipBlanks() {
    while (IsBlank(At())) ++at_;
  }

  void SkipArray() {
    ++at_;
    while (!IsOver() && At() != ')') {
      if (IsBlank(At()) || At() == '\n' || Word().end == at_before_word_) ++at_;
    }
    ++at_;
  }

  void Redirection() {
    const bool is_document = At() == '<' && At(1) == '<' && At(2) != '<';
    const bool has_tabs = is_document && At(2) == '-';
    if (At(1) == '(') {  // <(commands)
      at_ += 2;
      List(')');
      ++at_;
      return;
    }
    while (At() == '<' || At() == '>' || At() == '&' || At() == '|') ++at_;
    if (has_tabs) ++at_;
    SkipBlanks();
    const ShellWord target = Word();
    if (!is_document) return;
    const bool is_quoted =
        text_.substr(target.begin, target.end - target.begin).find_first_of("'\"\\") !=
        std::string_view::npos;
    documents_.push_back({target.text, !is_quoted, has_tabs});
  }

  // Skips the here-documents after a line with <<; their expansions are read.
  void SkipDocuments() {
    for (const Document& document : std::exchange(documents_, {})) {
      while (!IsOver()) {
        const size_t end = std::min(text_.find('\n', at_), text_.size());
        size_t begin = at_;
        while (document.has_tabs && begin < end && text_[begin] == '\t') ++begin;
        const bool is_last = text_.substr(begin, end - begin) == document.end;
        while (!is_last && document.expands && at_ < end) Expanding();
        at_ = std::max(at_, std::min(end + 1, text_.size()));
        if (is_last) break;
      }
    }
  }

  // Reads one character, or one expansion, of a text with expansions.
  void Expanding() {
    if (At() == '\\') {
      at_ += 2;
    } else if (At() == '$') {
      Dollar();
    } else if (At() == '`') {
      Backticks();
    } else {
      ++at_;
    }
  }

  void Backticks() {
    ++at_;
    List('`');
    ++at_;
  }

  ShellWord Word() {
    constexpr std::string_view kEnds = " \t\r\n;&|()<>";
    ShellWord word;
    word.begin = at_before_word_ = at_ = std::min(at_, text_.size());
    const auto as_written = [&](size_t begin) {
      word.text += text_.substr(begin, std::min(at_, text_.size()) - begin);
    };
    bool in_quotes = false;
    while (!IsOver()) {
      const char c = At();
      const size_t begin = at_;
      if (c == '"') {
        in_quotes = !in_quotes;
        ++at_;
      } else if (c == '\\') {
        if (At(1) != '\n') word.text += At(1);
        at_ += 2;
      } else if (c == '$' && At(1) != '\'') {
        Dollar();
        as_written(begin);
      } else if (c == '`') {
        if (is_in_backticks_) break;
        is_in_backticks_ = true;
        Backticks();
        is_in_backticks_ = false;
        as_written(begin);
      } else if (!in_quotes && c == '\'') {
        const size_t close = std::min(text_.find('\'', at_ + 1), text_.size());
        word.text += text_.substr(at_ + 1, close - at_ - 1);
        at_ = close + 1;
      } else if (!in_quotes && kEnds.find(c) != std::string_view::npos) {
        break;
      } else {
        word.text += c;
        ++at_;
      }
    }
    word.end = at_ = std::min(at_, text_.size());
    return word;
  }

  void Dollar() {
    if (++depth_ > kDepthMax) at_ = text_.size();
    const size_t begin = at_;
    const char next = At(1);
    if (next == '(' && At(2) == '(') {
      Arithmetic(3);
    } else if (next == '(') {
      at_ += 2;
      const bool outer = std::exchange(is_in_backticks_, false);
      List(')');
      is_in_backticks_ = outer;
      ++at_;
    } else if (next == '{') {
      Braces(begin);
    } else if (IsDigit(next) || next == '@' || next == '*' || next == '#') {
      at_ += 2;
      if (IsArgument(text_.substr(begin + 1, 1)))
        Argument(begin, std::string(text_.substr(begin, 2)));
    } else {
      ++at_;
      while (IsOfName(At())) ++at_;
    }
    --depth_;
  }

  // Reads "${NAME…}".
  void Braces(size_t begin) {
    at_ += 2;
    if ((At() == '#' || At() == '!') && At(1) != '}' && At(1) != ':') ++at_;
    const size_t name_begin = at_;
    if (At() == '@' || At() == '*' || At() == '#') {
      ++at_;
    } else {
      while (IsOfName(At())) ++at_;
    }
    const std::string_view name = text_.substr(name_begin, at_ - name_begin);
    while (!IsOver() && At() != '}') Expanding();
    ++at_;
    if (IsArgument(name))
      Argument(begin, std::string(text_.substr(begin, std::min(at_, text_.size()) - begin)));
  }

  // Reads "((…))" or "$((…))"; `opening`: the characters before its contents.
  void Arithmetic(size_t opening) {
    at_ += opening;
    int depth = 2;
    while (!IsOver() && depth > 0) {
      if (At() == '(') ++depth;
      if (At() == ')') --depth;
      if (depth > 0) {
        Expanding();
      } else {
        ++at_;
      }
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t at_before_word_ = 0;
  int depth_ = 0;
  int cases_ = 0;      // open `case` commands in this list
  int functions_ = 0;  // open function bodies
  bool is_function_next_ = false;
  bool has_own_arguments_ = false;
  bool is_in_backticks_ = false;
  std::vector<bool> braces_;  // open braces; true: of a function
  std::vector<Document> documents_;
  ShellScript script_;
};

}  // namespace

ShellScript ReadShellScript(std::string_view text) { return Reader(text).All(); }

}  // namespace gp
