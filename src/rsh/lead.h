#pragma once

#include "rsh/job.h"

namespace gp::rsh {

// Runs the command in rank 0, once all other ranks have come, and carries what it starts in them.
// Then it lets them end.  Returns the command's exit code.
int Lead(const Job& job, char* const* command);

}  // namespace gp::rsh
