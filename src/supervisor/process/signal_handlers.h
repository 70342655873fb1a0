#pragma once

#include <sys/types.h>

#include <vector>

namespace gp {

// Sends the signal to those of the processes that have a handler for it, and returns their number.
// It would kill the others, such as a shell around the program or a data loader.
int SignalHandlers(const std::vector<pid_t>& processes, int signal);

}  // namespace gp
