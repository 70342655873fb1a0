#include "cmd/process_limits.h"

#include <sys/resource.h>

namespace gp {

void SetDaemonLimits() {
  const rlimit none{0, 0};
  (void)setrlimit(RLIMIT_CORE, &none);
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace gp
