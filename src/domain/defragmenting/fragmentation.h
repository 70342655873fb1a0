#pragma once

// Fragmentation: how many of the free GPUs the present jobs could not use, if each kind of job had
// the nodes to itself.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "domain/cluster/state/state.h"
#include "domain/scheduling/node_classes.h"

namespace gp {

struct Fragmentation {
  int64_t free = 0;  // whole GPUs that no job holds and that may be granted
  // The free GPUs that the jobs could not use, in thousandths of GPUs: a mean, in which each job is
  // weighted by its GPUs.
  int64_t stranded = 0;
  bool is_known = false;  // false: there are no jobs to measure with
};

// The number of kinds of jobs that are used: those with the largest requests in total.
inline constexpr size_t kKindsMeasured = 16;

// Free GPUs that remain on the node when it is filled with ranks of the job.
int64_t LeftWhenFull(Node node, const Job& job);

// Measures the fragmentation of pools and queues in one state.  Used by one thread.
class FragmentationMeter {
 public:
  // `classes`: of the state's nodes.  Both must outlive the meter.
  FragmentationMeter(const State& state, const NodeClasses& classes);

  // Measured with the running and pending jobs of the pool.
  Fragmentation OfPool(const std::string& pool);
  // The free GPUs of the queue's pool, measured with the jobs of the queue and of those below it.
  Fragmentation OfQueue(const std::string& queue);

 private:
  struct Kind {
    const Job* example = nullptr;
    int64_t share = 0;  // requested by all of them
  };
  using Kinds = std::map<JobShape, Kind>;
  Fragmentation Measure(const std::string& pool, const Kinds& kinds);
  // The pool's free GPUs that remain after the pool is filled with ranks of this shape.
  int64_t LeftBy(const std::string& pool, const JobShape& shape, const Job& example);
  int64_t FreeIn(const std::string& pool) const;
  // Sum over the nodes of the pool that have free GPUs; those out of service have none.
  template <typename F>
  int64_t SumOver(const std::string& pool, const F& count) const;

  const State& state_;
  const NodeClasses& classes_;
  std::map<std::string, Kinds> by_pool_;
  std::map<std::string, Kinds> by_queue_;
  std::map<JobShape, int64_t> left_;
};

}  // namespace gp
