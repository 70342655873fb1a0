#pragma once

// Whoever looks on while a run is recorded or played.

#include <functional>

#include "domain/cluster/state.h"

namespace gp {

// The state was like this since the last call, until that instant.
using RunWatch = std::function<void(const State& state, Instant until)>;

}  // namespace gp
