#pragma once

namespace gp {

// A descriptor of the host's /proc, whatever is mounted there later.  REQUIRES: the first call
// comes before that.
int HostProc();

}  // namespace gp
