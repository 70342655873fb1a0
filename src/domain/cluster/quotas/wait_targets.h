#pragma once

// Queues whose jobs wait for longer than their target (docs/queues.md).

#include <optional>
#include <vector>

#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

// Counts the first start of the job for its queue, if that has a target.
void CountFirstStart(State& state, Instant at, const Job& job);

// Which queues miss their target from now on, and which no longer do.
std::vector<Event> JudgeWaitTargets(const State& state, Instant at);

// When JudgeWaitTargets has something to say next; Instant{1}: at once; nullopt: never, as things
// are.
std::optional<Instant> NextWaitVerdict(const State& state);

// Jobs of the queue that have waited for its target or longer.  Visits each of them.
int64_t CountLateJobs(const State& state, const std::string& queue, Instant at);

}  // namespace gp
