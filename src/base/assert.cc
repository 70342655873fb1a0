#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

#include "base/assert_handler.h"

namespace gp {
namespace {

AssertHandler assert_handler = nullptr;

}  // namespace

void SetAssertHandler(AssertHandler handler) { assert_handler = handler; }

void AssertFailed(const char* condition, const char* rule, const char* file, int line) {
  if (assert_handler != nullptr) assert_handler(condition, rule, file, line);
  std::fprintf(stderr, "gpu-platform: broken rule: %s (%s) at %s:%d\n", rule, condition, file,
               line);
  std::abort();
}

}  // namespace gp
