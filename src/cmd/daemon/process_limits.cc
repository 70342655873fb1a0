#include "cmd/daemon/process_limits.h"

#include <sys/resource.h>

#include "base/ignore_result.h"

namespace gp {

void SetDaemonLimits() {
  const rlimit none{0, 0};
  IgnoreResult(setrlimit(RLIMIT_CORE, &none), "the limit of before stays");
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  IgnoreResult(setrlimit(RLIMIT_NOFILE, &files), "the limit of before stays");
}

}  // namespace gp
