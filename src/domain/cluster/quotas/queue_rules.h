#pragma once

// What a queue asks of its jobs: how long they may run, how many GPUs they use, and whether they
// have a network.

#include <memory>
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

// The queue that leaves jobs of this queue without network: itself, or one above; empty: none does.
std::string QueueWithoutNetwork(const State& state, const std::string& queue);

// The spec as it is admitted to the queue: without network if the queue says so.
std::shared_ptr<const JobSpec> WithNetworkOf(const State& state, const std::string& queue,
                                             const std::shared_ptr<const JobSpec>& spec);

// kInvalidArgument names a queue without network, where the job is one on several nodes.
Status CheckNetwork(const State& state, const std::string& queue, const JobSpec& spec);

}  // namespace gp
