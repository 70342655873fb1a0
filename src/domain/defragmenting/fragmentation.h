#pragma once

// How much of the free GPUs jobs like those that are here could not use, by themselves on a node.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "domain/cluster/state.h"
#include "domain/scheduling/node_classes.h"

namespace gp {

struct Fragmentation {
  int64_t free = 0;  // whole GPUs that nobody holds and that may be granted
  // Of those, in thousandths of GPUs, what the jobs could not use: a mean, each job counts by its
  // GPUs
  int64_t stranded = 0;
  bool is_known = false;  // there are jobs to measure it by
};

// Kinds of jobs that are measured by: those that ask for most.
inline constexpr size_t kKindsMeasured = 16;

// Free GPUs left on the node when it is full of ranks of the job.
int64_t LeftWhenFull(Node node, const Job& job);

class FragmentationMeter {
 public:
  // `classes`: of the state's nodes.  Both outlive it.
  FragmentationMeter(const State& state, const NodeClasses& classes);

  // By the jobs of the pool that run or wait.
  Fragmentation OfPool(const std::string& pool);
  // The GPUs of its pool, by the jobs of the queue and those below it.
  Fragmentation OfQueue(const std::string& queue);

 private:
  struct Kind {
    const Job* example = nullptr;
    int64_t share = 0;  // that all of them ask for
  };
  using Kinds = std::map<JobShape, Kind>;
  Fragmentation Measure(const std::string& pool, const Kinds& kinds);
  // Of the pool's free GPUs, those that are left where as many ranks as fit have been placed.
  int64_t LeftBy(const std::string& pool, const JobShape& shape, const Job& example);
  int64_t FreeIn(const std::string& pool) const;
  // Over the nodes of the pool that have free GPUs; those out of service have none.
  template <typename F>
  int64_t SumOver(const std::string& pool, const F& count) const;

  const State& state_;
  const NodeClasses& classes_;
  std::map<std::string, Kinds> by_pool_;
  std::map<std::string, Kinds> by_queue_;
  std::map<JobShape, int64_t> left_;
};

}  // namespace gp
