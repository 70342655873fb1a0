#pragma once

#include <string>

namespace gp {

// Blocks system calls that only the host's administrator needs, for this process and all that it
// starts.  Returns empty on success, else what failed, with errno set.  REQUIRES: no_new_privs.
std::string FilterSystemCalls();

}  // namespace gp
