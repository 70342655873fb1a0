#include "infrastructure/host_name.h"

#include <unistd.h>

namespace gp {

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 && *name != '\0' ? name : "localhost";
}

}  // namespace gp
