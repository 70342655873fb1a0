#pragma once

// The attempt's own network namespace, with a loopback interface and nothing else.

#include "base/result.h"

namespace gp {

// Sets `has_own_network` once the supervisor has left the host's, also where a later step fails.
Status EnterPrivateNetwork(bool& has_own_network);

}  // namespace gp
