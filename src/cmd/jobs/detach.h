#pragma once

#include <string>

#include "cmd/cli.h"

namespace gp {

// The exit code after Ctrl-C while following (docs/reference/exit_codes.md).
inline constexpr int kExitDetached = 130;

// From here on Ctrl-C (SIGINT) ends this program with 130 and does not affect the job that it
// follows. Set before the job is submitted, so that there is no moment in which Ctrl-C ends the
// program without a message.
void DetachOnInterrupt();

// The job that is followed: a first interrupt prints whether it runs, how to follow and how to
// cancel it; a second one within two seconds after that cancels it.  One before that, while the
// controller is asked, ends the program alone.  `cli` outlives the program's main thread.
void DetachFrom(const std::string& job, Cli& cli);

}  // namespace gp
