#pragma once

// GP_ASSERT(condition, "the broken rule"): false means a bug.  It is on in release builds too: a
// scheduler that stops loses nothing, because the journal has it all; one that continues with a
// broken ledger may.

namespace gp {

[[noreturn]] void AssertFailed(const char* condition, const char* rule, const char* file, int line);

}  // namespace gp

#define GP_ASSERT(condition, rule)                                              \
  do {                                                                          \
    if (!(condition)) ::gp::AssertFailed(#condition, rule, __FILE__, __LINE__); \
  } while (false)
