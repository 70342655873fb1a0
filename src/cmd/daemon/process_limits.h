#pragma once

namespace gp {

// Limits of a daemon. It holds tokens and keys, so it writes no core files. It may open as many
// descriptors as the system allows, so that strangers on its ports do not use up what its own users
// need.
void SetDaemonLimits();

}  // namespace gp
