#pragma once

#include "rsh/job.h"

namespace gp::rsh {

// Runs the command in rank 0, once all other ranks have come, and carries what it starts in them.
// Then it lets them end.  Until the command runs, a stop ends the rank at once.  Returns the
// command's exit code.
int Lead(const Job& job, char* const* command);

}  // namespace gp::rsh
