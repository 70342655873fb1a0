#pragma once

// GP_ASSERT(condition, "what rule broke"): a bug if false.  On in release builds too: a scheduler
// that stops loses nothing (the journal has it), one that goes on with a broken ledger does.

namespace gp {

[[noreturn]] void AssertFailed(const char* condition, const char* rule, const char* file, int line);

}  // namespace gp

#define GP_ASSERT(condition, rule)                                              \
  do {                                                                          \
    if (!(condition)) ::gp::AssertFailed(#condition, rule, __FILE__, __LINE__); \
  } while (false)
