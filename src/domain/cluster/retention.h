#pragma once

// How long finished jobs are remembered.

#include <optional>
#include <vector>

#include "domain/cluster/state/state.h"

namespace gp {

// The oldest finished jobs that ended by `ended_by` and that no job depends on, at most `most`.  It
// skips at most as many depended-on jobs as one job may name.
std::vector<JobId> FindForgettable(const State& state, int64_t most, Instant ended_by);

// The maximum in one command: other commands wait for the writer.
inline constexpr int64_t kForgottenAtATime = 1'000;

// When the oldest finished job reaches the policy's retention time; nullopt: never.
std::optional<Instant> NextForgetting(const State& state);

}  // namespace gp
