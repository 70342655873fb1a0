#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "experiments/topology/machine.h"

namespace gp {

// A model of how fast two GPUs of a machine exchange data, in one direction and without other
// traffic.  It is computed from published rates (docs/reference/topology_policies.md), not
// measured.
class BandwidthTable {
 public:
  // kInvalidArgument: a rate is not known.
  static Result<BandwidthTable> Of(const TopologyMachine& machine);

  int64_t MbPerSecond(int a, int b) const {
    return mb_per_second_[static_cast<size_t>(a) * gpus_ + static_cast<size_t>(b)];
  }

 private:
  size_t gpus_ = 0;
  std::vector<int64_t> mb_per_second_;
};

}  // namespace gp
