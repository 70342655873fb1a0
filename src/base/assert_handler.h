#pragma once

// For programs that play many runs in one process: a broken rule ends the run and not the process.

namespace gp {

// Called instead of ending the process; must not return (it may throw).  nullptr: ends the process.
using AssertHandler = void (*)(const char* condition, const char* rule, const char* file, int line);
void SetAssertHandler(AssertHandler handler);

}  // namespace gp
