#pragma once

namespace gp {

// Of a daemon.  It holds tokens and keys: where cores are written to files, none of it is.  And it
// takes all the descriptors that it may have: strangers on its ports must not use up what its own
// users need.
void SetDaemonLimits();

}  // namespace gp
