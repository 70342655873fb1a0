#pragma once

#include <string>

namespace gp {

// From here on Ctrl-C (SIGINT) ends this program with 130 and leaves the job it follows running.
// Set before the job is submitted, so that no moment is left in which Ctrl-C ends the program without a word.
void DetachOnInterrupt();

// The job that goes on when this program is interrupted.
void DetachFrom(const std::string& job);

}  // namespace gp
