#pragma once

// A script for sh or bash, read as far as an import needs: which commands it names, and which of
// its own arguments it reads. What only a run could tell (aliases, eval, sourced files) is not
// seen.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gp {

struct ShellWord {
  size_t begin = 0;  // in the script
  size_t end = 0;
  std::string text;  // without its quotes; expansions as they are written
};

// A simple command without its assignments and redirections.
struct ShellCommand {
  std::vector<ShellWord> words;  // at least one
};

// "$1", "${2:-0}", "$@": read outside of functions, and before the script sets them itself.
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
