#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gp {

// The words of a call; those of `help WORDS` as `WORDS --help`.
std::vector<std::string> WordsOf(int argc, char** argv);

// Parses the words and runs the command that they name. Without words, shows the help of all.
// Returns an exit code if no command ran: 0 after help, 2 after a usage error, whose message names
// the unknown word and what was probably meant: a typo, a command of a group, or a name of Slurm.
// `whole`: makes the tree of all commands, if `app` has only some; empty: it has all.
std::optional<int> RunCommand(CLI::App& app, const std::vector<std::string>& words,
                              const std::function<const CLI::App&()>& whole = {});

}  // namespace gp
