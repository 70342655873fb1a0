#pragma once

// The floor of a priority class: the part of its pool that no other class can deny it. A pending
// job counts as below the floor until the jobs of its class that were submitted before it hold that
// much. Smaller jobs that were submitted later and started first do not count.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "domain/cluster/state/state.h"

namespace gp {

// The floors of all pools and classes in one pass. Not thread-safe.
class ClassFloors {
 public:
  explicit ClassFloors(const State& state) : state_(state) {}

  // Whether the jobs of its class that were submitted before it hold less than the floor.
  bool IsBelow(const Job& job);
  // Call when this pass has placed the job.
  void Charge(const Job& job, int64_t share);

 private:
  // The oldest jobs that hold GPUs: as many as reach the floor together, or all.
  struct Oldest {
    std::vector<std::pair<JobId, int64_t>> shares;  // in order of job id
    int64_t sum = 0;
    int64_t floor = 0;  // thousandths of GPUs times 100: compared with sum * 100
  };
  Oldest& Of(const PoolClass& pool_class);
  static void Add(Oldest& oldest, JobId job, int64_t share);

  const State& state_;
  // computed on first use: on large clusters most passes need none
  std::map<PoolClass, Oldest> by_class_;
  std::map<PoolClass, std::vector<std::pair<JobId, int64_t>>> charged_;
};

}  // namespace gp
