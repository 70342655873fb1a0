#include "cmd/core_dumps.h"

#include <sys/resource.h>

namespace gp {

void LeaveNoCoreDumps() {
  const rlimit none{0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
}

}  // namespace gp
