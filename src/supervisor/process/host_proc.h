#pragma once

namespace gp {

// A descriptor of the host's /proc, valid even after another one is mounted there.  REQUIRES: the
// first call comes before that.
int HostProc();

}  // namespace gp
