#pragma once

// The part of its pool that no class is denied, by the order of submit: whoever waits may count on
// it until those of its class that came before hold that much.  Younger ones, who passed it because
// they are smaller, do not use it up.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "domain/cluster/state.h"

namespace gp {

class ClassFloors {
 public:
  explicit ClassFloors(const State& state) : state_(state) {}

  // Whether the jobs of its class that were submitted before it hold less than the floor.
  bool IsBelow(const Job& job);
  // In this pass the job was given its place.
  void Charge(const Job& job, int64_t share);

 private:
  // The oldest jobs that hold GPUs, as many as reach the floor together, or all.
  struct Oldest {
    std::vector<std::pair<JobId, int64_t>> shares;  // in order of job
    int64_t sum = 0;
    int64_t floor = 0;  // thousandths of GPUs times 100, as sum * 100 compares with it
  };
  Oldest& Of(const PoolClass& pool_class);
  static void Add(Oldest& oldest, JobId job, int64_t share);

  const State& state_;
  std::map<PoolClass, Oldest> by_class_;  // once they are asked for: at scale most passes do not
  std::map<PoolClass, std::vector<std::pair<JobId, int64_t>>> charged_;
};

}  // namespace gp
