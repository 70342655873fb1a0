#pragma once

#include <CLI/CLI.hpp>

namespace gp {

// A usage error with its place and, for a slip of the finger, what was meant.  Exit code 2.
int ExplainUsage(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

}  // namespace gp
