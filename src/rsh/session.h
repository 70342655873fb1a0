#pragma once

#include <string>

#include "rsh/job.h"

namespace gp::rsh {

// Runs the command by /bin/sh and carries its input and output over a connection of its own, until
// it has ended or the other end is gone, which ends the command.
int RunSession(const Job& job, const std::string& number, const std::string& command);

}  // namespace gp::rsh
