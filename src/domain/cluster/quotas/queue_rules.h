#pragma once

// What a queue asks of its jobs: how long they may run, and how many GPUs they use.

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

struct QueueMinimum {
  int64_t gpus = 0;
  std::string queue;  // the queue that sets it: the queue itself, or one above
};

// The fewest GPUs of a job of the queue: the maximum over the queue and those above.
QueueMinimum MinGpusOf(const State& state, const std::string& queue);

// kInvalidArgument names the queue and its minimum.  `share`: what the job requests, in thousandths
// of a GPU.
Status CheckMinGpus(const State& state, const std::string& queue, int64_t share);

}  // namespace gp
