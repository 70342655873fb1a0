#pragma once

// How long finished jobs are remembered.

#include <optional>
#include <vector>

#include "domain/cluster/state.h"

namespace gp {

// The oldest finished jobs that nobody waits for, at most so many, that ended by then.  Of those
// that somebody waits for no more are passed over than one job may name.
std::vector<JobId> FindForgettable(const State& state, int64_t most, Instant ended_by);

// No more in one command: others wait for the writer.
inline constexpr int64_t kForgottenAtATime = 1'000;

// When the oldest of them has been remembered for as long as the policy says; nullopt: no such time
// comes.
std::optional<Instant> NextForgetting(const State& state);

}  // namespace gp
