#include "adapters/inbound/job_file/script.h"

#include <algorithm>

#include "adapters/inbound/job_file/codes.h"
#include "base/text.h"
#include "base/utf8.h"

namespace gp {
namespace {

constexpr std::string_view kMark = "#GPU";

struct Line {
  size_t begin;
  std::string_view text;  // without its line end
};

std::vector<Line> LinesOf(std::string_view text) {
  std::vector<Line> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({begin, line});
    begin = end + 1;
  }
  return lines;
}

bool IsComment(std::string_view line) {
  const size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos || line[first] == '#';
}

bool HasName(const SourceText& source, std::initializer_list<std::string_view> endings) {
  return std::ranges::any_of(
      endings, [&](std::string_view ending) { return source.name.ends_with(ending); });
}

// The command that runs a script given as text, by the interpreter in its first line; nullopt: this
// interpreter takes no text.
std::optional<std::vector<std::string>> Interpreter(std::string_view first_line) {
  if (!first_line.starts_with("#!")) return std::vector<std::string>{"/bin/sh", "-c"};
  std::vector<std::string> words;
  for (std::string& word : Split(first_line.substr(2), ' ')) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  if (words.empty()) return std::nullopt;
  const bool by_env = words[0].ends_with("/env");
  if (by_env && words.size() < 2) return std::nullopt;
  const std::string program = words[by_env ? 1 : 0];
  const std::string name = program.substr(program.rfind('/') + 1);
  constexpr std::string_view kTakeText[] = {"sh",  "bash",   "dash",   "ksh",
                                            "zsh", "python", "python3"};
  if (std::ranges::find(kTakeText, name) == std::end(kTakeText)) return std::nullopt;
  words.emplace_back("-c");
  return words;
}

// Reads one script: its interpreter, and the YAML of its #GPU lines.
class ScriptReader {
 public:
  ScriptReader(const SourceText& source, Report& report)
      : source_(source), report_(report), lines_(LinesOf(source.text)) {
    script_.yaml = source.text;
  }

  std::optional<Script> ReadAll() {
    if (!ReadFirstLine() || !ReadHeader() || !CheckForeignHeader()) return std::nullopt;
    script_.command.push_back(source_.text);
    return std::move(script_);
  }

 private:
  bool Refuse(const Line& line, std::string message) {
    report_.Add(PlaceAt(source_, line.begin, 0), JobFileCode::kBadScriptHeader, std::move(message));
    return false;
  }

  bool ReadFirstLine() {
    auto command = Interpreter(lines_.front().text);
    if (!command) {
      return Refuse(
          lines_.front(),
          "this interpreter does not take a script as text: use sh, bash, dash, ksh, zsh or "
          "python, or write a job file whose run starts the program");
    }
    script_.command = std::move(*command);
    return true;
  }

  bool ReadHeader() {
    bool good = true;
    bool in_header = true;
    for (const Line& line : lines_) {
      in_header = in_header && IsComment(line.text);
      const bool is_marked = line.text.starts_with(kMark);
      if (is_marked && !in_header) {
        good = Refuse(line, "a #GPU line after the first command would have no effect: move it up");
      } else if (is_marked && line.text.size() > kMark.size() && line.text[kMark.size()] != ' ') {
        good = Refuse(line, "write a space after #GPU");
      }
      has_header_ |= is_marked;
      Blank(line, is_marked ? kMark.size() : line.text.size());
    }
    return good;
  }

  // Replaces bytes by spaces, so that lines and columns of the YAML stay the same.  The length of a
  // line without YAML may change, as no problem ever refers to it.
  void Blank(const Line& line, size_t bytes) {
    std::fill_n(script_.yaml.begin() + static_cast<std::ptrdiff_t>(line.begin), bytes, ' ');
  }

  bool CheckForeignHeader() {
    if (has_header_) return true;
    const auto foreign = std::ranges::find_if(
        lines_, [](const Line& line) { return line.text.starts_with("#SBATCH"); });
    if (foreign == lines_.end()) return true;
    return Refuse(*foreign,
                  "#SBATCH lines are not read: gpu-platform jobs import writes them as #GPU lines");
  }

  const SourceText& source_;
  Report& report_;
  std::vector<Line> lines_;
  Script script_;
  bool has_header_ = false;
};

}  // namespace

bool IsScript(const SourceText& source) {
  if (source.text.starts_with("#!")) return true;
  if (HasName(source, {".yaml", ".yml", ".json"})) return false;
  for (const Line& line : LinesOf(source.text)) {
    if (!IsComment(line.text)) return false;
    if (line.text.starts_with(kMark)) return true;
  }
  return false;
}

std::optional<Script> ReadScript(const SourceText& source, Report& report) {
  return ScriptReader(source, report).ReadAll();
}

}  // namespace gp
