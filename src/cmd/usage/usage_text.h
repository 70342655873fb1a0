#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace gp {

// What is wrong with a command line, in words for people; of CLI11's errors, which speak of options
// and types.  `command`: the innermost one that the line names.
std::string UsageText(const CLI::ParseError& error, const CLI::App& command);

// "JOB [COMMAND...]": the arguments of the command, without its flags; empty: it takes none.
std::string ArgumentsText(const CLI::App& command);

}  // namespace gp
