#pragma once

#include <sys/types.h>

#include <vector>

namespace gp {

// Sends the signal to those of the processes that have a handler for it, and to nobody whom it
// would end; how many that were.  A shell around the program, or a data loader beside it, may know
// nothing of checkpoints.
int SignalHandlers(const std::vector<pid_t>& processes, int signal);

}  // namespace gp
