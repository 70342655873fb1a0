#pragma once

// The words of a script for a shell, with their quotes and expansions.

#include <functional>
#include <string>

#include "adapters/inbound/job_import/slurm/shell_cursor.h"
#include "adapters/inbound/job_import/slurm/shell_script.h"

namespace gp {

// Reads one word or expansion after the other at a cursor, which must outlive it.
class ShellWords {
 public:
  // Reads the commands in "$(…)" up to `end`, which it does not consume.
  using CommandReader = std::function<void(char end)>;
  // Told of each argument of the script that is read.
  using ArgumentSink = std::function<void(size_t at, std::string text)>;

  ShellWords(ShellCursor& cursor, CommandReader read_commands, ArgumentSink on_argument)
      : cursor_(cursor),
        read_commands_(std::move(read_commands)),
        on_argument_(std::move(on_argument)) {}

  // An empty word: here is a character that cannot be part of one.
  ShellWord Take();
  // Reads one character, or one expansion, of a text with expansions.
  void TakeExpanding();
  // Reads "((…))" or "$((…))"; `opening`: the characters before its contents.
  void TakeArithmetic(size_t opening);

 private:
  // Whether the word that is being read ends here.
  bool IsAtEnd(bool in_quotes) const;
  // Reads a character, an expansion or a text in single quotes, and adds what it stands for.
  void TakePart(bool in_quotes, std::string& text);
  // Reads "$…" or "`…`" and adds it as written.
  void TakeExpansion(std::string& text);
  // Reads "'…'" and adds what is inside.
  void TakeLiteral(std::string& text);
  void TakeBackticks();
  void TakeDollar();
  void TakeBraces(size_t begin);

  ShellCursor& cursor_;
  CommandReader read_commands_;
  ArgumentSink on_argument_;
  bool is_in_backticks_ = false;
};

}  // namespace gp
