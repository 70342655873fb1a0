#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace gp {

// The words of a call; those of `help WORDS` as `WORDS --help`.
std::vector<std::string> WordsOf(int argc, char** argv);

// Whether they begin with an unknown command: CLI11 would show the help of all for `help jbos`.
bool IsUnknownCommand(const CLI::App& app, const std::vector<std::string>& words);

// A usage error that names the unknown word and what was probably meant: a typo, a command of a
// group, or a name of Slurm. Exit code 2.
int ExplainUsage(const CLI::App& app, const std::string& error,
                 const std::vector<std::string>& words);

}  // namespace gp
