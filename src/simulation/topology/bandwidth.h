#pragma once

// A model of how fast two GPUs of a machine could exchange data, one way and alone on the wire.  It
// is made of published rates (docs/reference/topology_policies.md) and measures nothing.

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "simulation/topology/machine.h"

namespace gp {

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
