#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace gp {

void AssertFailed(const char* condition, const char* rule, const char* file, int line) {
  std::fprintf(stderr, "gpu-platform: broken rule: %s (%s) at %s:%d\n", rule, condition, file, line);
  std::abort();
}

}  // namespace gp
