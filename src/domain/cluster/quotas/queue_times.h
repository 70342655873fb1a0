#pragma once

// How long the jobs of a queue may run.

#include <string>

#include "domain/cluster/state/state.h"

namespace gp {

struct QueueTime {
  Duration time;      // 0: none
  std::string queue;  // the queue that sets it: the queue itself, or one above
};

// The longest time that a job of the queue may run: the minimum over the queue and those above.
QueueTime MaxTimeOf(const State& state, const std::string& queue);
// The default time limit for jobs of the queue: its own, else that of the nearest queue above,
// capped by the maximum; the maximum if there is no default.
QueueTime DefaultTimeOf(const State& state, const std::string& queue);

// kInvalidArgument names the queue and its maximum.
Status CheckMaxTime(const State& state, const std::string& queue, Duration time_limit);

}  // namespace gp
