#pragma once

// Observers of a run while it is recorded or played.

#include <functional>
#include <utility>

#include "domain/cluster/state/state.h"

namespace gp {

// The state has been like this since the last call, until that instant.
using RunWatch = std::function<void(const State& state, Instant until)>;

// Calls both, one after the other; either may be empty.
inline RunWatch Both(RunWatch first, RunWatch second) {
  if (!first) return second;
  if (!second) return first;
  return [first = std::move(first), second = std::move(second)](const State& state, Instant until) {
    first(state, until);
    second(state, until);
  };
}

}  // namespace gp
