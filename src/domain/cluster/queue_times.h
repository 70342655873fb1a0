#pragma once

// For how long the jobs of a queue may run.

#include <string>

#include "domain/cluster/state.h"

namespace gp {

struct QueueTime {
  Duration time;      // 0: none
  std::string queue;  // whose it is: the queue itself, or one above
};

// The longest that a job of the queue may run: the least of its own and of those above.
QueueTime MaxTimeOf(const State& state, const std::string& queue);
// The time limit of its jobs that say none: its own, else that of the nearest above, no longer than
// the maximum; where there is only a maximum, that.
QueueTime DefaultTimeOf(const State& state, const std::string& queue);

// kInvalidArgument names the queue and its maximum.
Status CheckMaxTime(const State& state, const std::string& queue, Duration time_limit);

}  // namespace gp
