#pragma once

// Reads a script for sh or bash as far as an import needs: which commands it names, and which of
// its own arguments it reads.  Aliases, eval and sourced files are not followed.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gp {

struct ShellWord {
  size_t begin = 0;  // offset in the script
  size_t end = 0;
  std::string text;  // without its quotes; expansions as written
};

// A simple command without its assignments and redirections.
struct ShellCommand {
  std::vector<ShellWord> words;  // at least one
};

// "$1", "${2:-0}", "$@": read outside functions, and before the script sets its arguments itself.
struct ShellArgument {
  size_t at = 0;
  std::string text;
};

struct ShellScript {
  std::vector<ShellCommand> commands;  // also within $( ) and functions
  std::vector<ShellArgument> arguments;
};

ShellScript ReadShellScript(std::string_view text);

}  // namespace gp
