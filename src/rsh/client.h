#pragma once

#include <string>

#include "rsh/job.h"

namespace gp::rsh {

// Runs the command in the rank on that node, as ssh would: with this process's input, output and
// exit code.
int RunOn(const Job& job, const std::string& host, const std::string& command);

}  // namespace gp::rsh
