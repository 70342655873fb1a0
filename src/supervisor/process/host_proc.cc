#include "supervisor/process/host_proc.h"

#include <fcntl.h>

#include "supervisor/descriptor.h"

namespace gp {

int HostProc() {
  static const Descriptor proc(open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return proc.get();
}

}  // namespace gp
