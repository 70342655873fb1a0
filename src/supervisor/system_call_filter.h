#pragma once

#include <string>

namespace gp {

// Takes from this process and all that it starts the calls that only the host's administrator has
// use for.  "" or what failed, with errno.  REQUIRES: no_new_privs.
std::string FilterSystemCalls();

}  // namespace gp
