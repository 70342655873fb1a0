#pragma once

// For programs that play many runs in one process: a broken rule ends the run, not the process.

namespace gp {

// Called in place of ending the process; must not return, but may throw.  nullptr: end the process.
using AssertHandler = void (*)(const char* condition, const char* rule, const char* file, int line);
void SetAssertHandler(AssertHandler handler);

}  // namespace gp
