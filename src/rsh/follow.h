#pragma once

#include "rsh/job.h"

namespace gp::rsh {

// Waits in a rank for what rank 0 starts there, until rank 0's command has ended.  `command`, if
// any, begins with rank 0's and runs meanwhile; if it fails, so does the rank.  Until then a stop
// ends the rank at once.  Returns the rank's exit code.
int Follow(const Job& job, char* const* command);

}  // namespace gp::rsh
